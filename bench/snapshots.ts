import { beginPrints, closeAgents, connectAgents } from './load/agents.js'
import type { Bench, LoadOptions, OpenBench } from './load/bench.js'
import { openUploadFloor } from './load/floors.js'
import { type Call, openRestClient, type RestClient } from './load/requests.js'
import { measureRest } from './load/rest-measure.js'
import { formOf, uploadOf } from './load/upload.js'
import { openWorld } from './load/world.js'
import { webcamPicture } from './pictures.js'

// What the upload of a picture costs the server when nobody looks at it: JPEGs of printing printers, some uploads at a time, no detector;
// beside the same form taken by bare Fastify and written to the disk.

const PRINTERS = 100
const PRINTERS_PER_USER = 10
const AT_ONCE = 8
const PICTURES = 10
const SIZE = { width: 640, height: 480 }

export const snapshotsBench: Bench = {
  name: 'snapshots',
  about: `uploads of JPEGs of ${SIZE.width}×${SIZE.height} by ${PRINTERS} printing printers, without a detector: CPU and time each`,
  open: openSnapshots,
}

async function openSnapshots(options: LoadOptions): Promise<OpenBench> {
  const count = options.agents ?? PRINTERS
  const population = { users: Math.ceil(count / PRINTERS_PER_USER), printersPerUser: PRINTERS_PER_USER }
  const world = await openWorld({ ...options, nodes: 1, populations: [population] })
  const floor = await openUploadFloor()
  const url = world.urls[0] ?? ''
  const tokens = (world.people[0] ?? []).flatMap(({ printers }) => printers.map(({ authToken }) => authToken))
  const agents = await connectAgents(url, tokens)
  await beginPrints(agents)
  const pictures = await Promise.all(
    Array.from({ length: PICTURES }, (_, index) => webcamPicture(SIZE.width, SIZE.height, index)),
  )
  const forms = pictures.map(formOf)
  const ours = tokens.map((token, index) => openRestClient(url, `Bearer ${token}`, index))
  const bare = tokens.map((_, index) => openRestClient(floor.url, 'none', index))
  const callOf = (path: string) => (client: number, sequence: number) => {
    const form = forms[(client + sequence) % forms.length]
    if (form === undefined) throw new Error('there is no picture')
    return uploadOf(path, form)
  }
  return {
    run: () =>
      measureRest(
        {
          ...{ key: 'snapshots', label: 'an upload', unit: 'upload' },
          ours: inTurn(ours),
          bare: inTurn(bare),
          callOf: callOf('/api/v1/agent/pic/'),
          bareCallOf: callOf('/upload/'),
        },
        { world, floor, options },
      ),
    async close() {
      for (const client of [...ours, ...bare]) client.close()
      await closeAgents(agents)
      await Promise.all([world.close(), floor.close()])
    },
  }
}

/** A few that upload at once; each picture is the next printer's, so that none sends more than it may. */
function inTurn(clients: readonly RestClient[]): RestClient[] {
  let next = 0
  const send = (call: Call): Promise<string> => {
    const client = clients[next % clients.length]
    next += 1
    if (client === undefined) throw new Error('there is no printer')
    return client.send(call)
  }
  const refused = (): number => clients.reduce((sum, client) => sum + client.refused(), 0)
  return Array.from({ length: AT_ONCE }, (_, index) => ({
    send,
    refused: () => (index === 0 ? refused() : 0),
    close: () => undefined,
  }))
}
