import { beginPrints, closeAgents, connectAgents, type LoadAgent } from './load/agents.js'
import { type Bench, engineFigures, type LoadOptions, memoryFigure, type OpenBench } from './load/bench.js'
import { openWebsocketFloor } from './load/floors.js'
import { cpuDuring } from './load/meter.js'
import { type Call, openRestClient, type RestClient } from './load/requests.js'
import { openWorld } from './load/world.js'
import { percentile } from './measure.js'

// From the app's request to pause until the agent has the command: one at a time, each to the next printer, which is resumed before its
// turn comes again. In a fleet of two servers the agent is connected to one and the app asks the other.

const PRINTERS = 20
const COMMANDS = 200

export const commandBench: Bench = {
  name: 'command',
  about:
    'from the request to pause a print until the agent has the command (fleet: agent and app at different servers)',
  open: openCommand,
}

interface Round {
  readonly agent: LoadAgent
  readonly client: RestClient
  readonly path: (cmd: 'pause' | 'resume') => string
}

async function openCommand(options: LoadOptions): Promise<OpenBench> {
  const nodes = options.engine === 'fleet' ? 2 : 1
  const world = await openWorld({ ...options, nodes, populations: [{ users: PRINTERS, printersPerUser: 1 }] })
  const floor = await openWebsocketFloor()
  const users = world.people[0] ?? []
  const tokens = users.flatMap(({ printers }) => printers.map(({ authToken }) => authToken))
  const agents = await connectAgents(world.urls[0] ?? '', tokens)
  await beginPrints(agents)
  const bareAgents = await connectAgents(floor.url, tokens)
  const ours = agents.map((agent, index): Round => {
    const { token = '', printers = [] } = users[index] ?? {}
    const client = openRestClient(world.urls.at(-1) ?? '', `Bearer ${token}`, index)
    return { agent, client, path: (cmd) => `/api/v1/printers/${printers[0]?.id}/${cmd}_print/` }
  })
  const bare = bareAgents.map((agent, index): Round => {
    return { agent, client: openRestClient(floor.url, 'none', index), path: () => `/order/${index}/` }
  })
  const { postgres, redis } = world.enginePids
  return {
    async run() {
      const bareSent = await measure(bare, [[floor.pid]])
      const sent = await measure(ours, [world.pids, postgres, redis])
      const both = (of: (one: Measured) => number) => ({ ours: of(sent), floor: of(bareSent), digits: 2 })
      return [
        {
          key: 'command.p50',
          label: 'request to pause → agent, p50 ms',
          ...both(({ times }) => percentile(times, 0.5)),
        },
        {
          key: 'command.p99',
          label: 'request to pause → agent, p99 ms',
          ...both(({ times }) => percentile(times, 0.99)),
        },
        { key: 'command.cpu', label: 'CPU of the servers, ms a command', ...both(({ cpu }) => cpu[0] ?? 0) },
        ...engineFigures('command', 'command', options, sent.cpu),
        { key: 'command.rate', label: 'commands a second, one at a time', ...both(({ rate }) => rate), digits: 0 },
        memoryFigure('command', 'RSS of the servers, MB', world, floor),
      ]
    },
    async close() {
      for (const { client } of [...ours, ...bare]) client.close()
      await Promise.all([closeAgents(agents), closeAgents(bareAgents)])
      await Promise.all([world.close(), floor.close()])
    },
  }
}

interface Measured {
  /** Milliseconds of a command, of each group of programs. */
  readonly cpu: readonly number[]
  /** Milliseconds of each pause. */
  readonly times: readonly number[]
  /** Commands a second. */
  readonly rate: number
}

async function measure(rounds: readonly Round[], groups: readonly (readonly number[])[]): Promise<Measured> {
  let times: number[] = []
  let seconds = 0
  const cpu = await cpuDuring(groups, async () => {
    const started = performance.now()
    times = await sendCommands(rounds)
    seconds = (performance.now() - started) / 1000
  })
  const sent = COMMANDS * 2
  return { cpu: cpu.map((ms) => ms / sent), times, rate: sent / seconds }
}

/** Pauses and resumes printers in turn; milliseconds of each pause. */
async function sendCommands(rounds: readonly Round[]): Promise<number[]> {
  const times: number[] = []
  for (let index = 0; index < COMMANDS; index += 1) {
    const round = rounds[index % rounds.length]
    if (round === undefined) throw new Error('there is no printer')
    times.push(await timeOf(round, 'pause'))
    await timeOf(round, 'resume')
  }
  return times
}

/** Resolves when the agent has the command and the app its answer, with the milliseconds until the agent had it. */
async function timeOf({ agent, client, path }: Round, cmd: 'pause' | 'resume'): Promise<number> {
  const started = performance.now()
  const arrived = new Promise<number>((resolve) => {
    agent.onCommand = (_cmd, at) => resolve(at)
  })
  const call: Call = { method: 'POST', path: path(cmd) }
  const answer = JSON.parse(await client.send(call)) as { succeeded?: boolean }
  if (answer.succeeded !== true) throw new Error(`${call.path} did not succeed: ${JSON.stringify(answer)}`)
  return (await arrived) - started
}
