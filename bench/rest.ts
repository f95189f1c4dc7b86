import { join } from 'node:path'
import { beginPrints, closeAgents, connectAgents } from './load/agents.js'
import type { Bench, Figure, LoadOptions, OpenBench } from './load/bench.js'
import { openStaticFloor } from './load/floors.js'
import { type Call, openRestClient, type RestClient } from './load/requests.js'
import { measureRest } from './load/rest-measure.js'
import type { SeededUser } from './load/seed.js'
import { openWorld } from './load/world.js'

// What the requests of apps and dashboards cost: each user has ten printers with their full status, and a history. Beside bare Fastify, which
// answers the same bytes and does nothing else. Each load comes over as many connections, each from an address of its own: one that waits for
// each answer costs a third more, since less is done in one turn of the event loop.

const USERS = 16
const PRINTERS = 10
const PRINTS = 1000
const LONG_HISTORY = 100_000
const PRINTS_PATH = '/api/v1/prints/?sorting=date_desc&limit=24'

export const restBench: Bench = {
  name: 'rest',
  about: `lists of ${PRINTERS} printers and of 24 prints (of ${PRINTS} and of ${LONG_HISTORY}), PATCH of a printer: CPU and time each`,
  open: openRest,
}

interface Requests {
  readonly key: string
  readonly label: string
  /** Whose printers and history it is about. */
  readonly users: readonly SeededUser[]
  readonly callOf: (user: SeededUser, sequence: number) => Call
}

async function openRest(options: LoadOptions): Promise<OpenBench> {
  const world = await openWorld({
    ...options,
    nodes: 1,
    populations: [
      { users: USERS, printersPerUser: PRINTERS, printsPerUser: PRINTS },
      { users: 1, printersPerUser: PRINTERS, printsPerUser: LONG_HISTORY },
    ],
  })
  const url = world.urls[0] ?? ''
  const [users = [], [old] = []] = world.people
  if (old === undefined) throw new Error('there is nobody with a long history')
  const longest: SeededUser = old
  const everybody = [...users, old]
  const tokens = everybody.flatMap(({ printers }) => printers.map(({ authToken }) => authToken))
  const agents = await connectAgents(url, tokens)
  await beginPrints(agents)
  const requests = requestsOf(users, old)
  const connect = (someone: (at: number) => SeededUser, from: number): RestClient[] =>
    Array.from({ length: USERS }, (_, at) => openRestClient(url, `Bearer ${someone(at).token}`, from + at))
  const clients = connect((at) => users[at] ?? longest, 0)
  const clientsOfLongest = connect(() => longest, USERS)
  const clientsOf = (mine: readonly SeededUser[]): readonly RestClient[] =>
    mine === users ? clients : clientsOfLongest
  const answers = await Promise.all(
    requests.map(async ({ callOf, users: mine }) => {
      const call = callOf(mine[0] ?? longest, 0)
      return { method: call.method, path: call.path, text: (await clientsOf(mine)[0]?.send(call)) ?? '' }
    }),
  )
  // Two requests have the same path and differ in whose they are: the floor needs one of them only.
  const distinct = answers.filter(({ path }, index) => answers.findIndex((one) => one.path === path) === index)
  const floor = await openStaticFloor(join(world.folder, 'answers.json'), distinct)
  const bare = users.map((_, index) => openRestClient(floor.url, 'none', index))

  async function measure({ key, label, users: mine, callOf }: Requests, index: number): Promise<Figure[]> {
    const answer = answers[index]
    if (answer === undefined) throw new Error(`${label} was not answered`)
    const [first = longest] = mine
    return measureRest(
      {
        ...{ key, label, unit: 'request', bare },
        ours: clientsOf(mine),
        callOf: (client, sequence) => callOf(mine[client % mine.length] ?? first, sequence),
        bareCallOf: (_, sequence) => ({ ...callOf(first, sequence), path: answer.path }),
      },
      { world, floor, options },
    )
  }

  return {
    async run() {
      const figures: Figure[] = []
      for (const [index, one] of requests.entries()) {
        // A printer that falls silent is offline, and then there is less to answer.
        for (const agent of agents) agent.sendStatus()
        await Promise.all(agents.map((agent) => agent.applied()))
        figures.push(...(await measure(one, index)))
      }
      return figures
    },
    async close() {
      for (const client of [...clients, ...clientsOfLongest, ...bare]) client.close()
      await closeAgents(agents)
      await Promise.all([world.close(), floor.close()])
    },
  }
}

function requestsOf(users: readonly SeededUser[], old: SeededUser): Requests[] {
  const prints: Call = { method: 'GET', path: PRINTS_PATH }
  return [
    {
      key: 'rest.printers',
      label: `${PRINTERS} printers`,
      users,
      callOf: () => ({ method: 'GET', path: '/api/v1/printers/' }),
    },
    { key: 'rest.prints', label: `24 of ${PRINTS} prints`, users, callOf: () => prints },
    { key: 'rest.history', label: `24 of ${LONG_HISTORY} prints`, users: [old], callOf: () => prints },
    { key: 'rest.patch', label: 'PATCH of a printer', users, callOf: patchOf },
  ]
}

/** Another name each time, so that something is written. */
function patchOf({ printers }: SeededUser, sequence: number): Call {
  const body = Buffer.from(JSON.stringify({ name: `Printer ${sequence % 100}`, retract_on_pause: 6.5 }))
  return { method: 'PATCH', path: `/api/v1/printers/${printers[0]?.id}/`, body }
}
