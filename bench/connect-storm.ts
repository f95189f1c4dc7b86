import { closeAgents, connectAgent, type LoadAgent } from './load/agents.js'
import { type Bench, engineFigures, type LoadOptions, memoryFigure, type OpenBench } from './load/bench.js'
import { openWebsocketFloor } from './load/floors.js'
import { costOf, cpuDuring, untilAtRest } from './load/meter.js'
import { openWorld } from './load/world.js'
import { percentile } from './measure.js'

// All agents come at once, as after a restart of the server or a power cut: how long until the last one is let in and has been told its first words,
// and how many are refused.

const AGENTS = 1000
const PRINTERS_PER_USER = 20

export const connectStormBench: Bench = {
  name: 'connect-storm',
  about: `${AGENTS} agents that connect at the same moment: seconds until all are in, and how many are refused`,
  open: openStorm,
}

interface Storm {
  readonly agents: readonly LoadAgent[]
  readonly refused: number
  readonly seconds: number
  /** Milliseconds until each agent that was let in was. */
  readonly times: readonly number[]
}

async function openStorm(options: LoadOptions): Promise<OpenBench> {
  const count = options.agents ?? AGENTS
  const population = { users: Math.ceil(count / PRINTERS_PER_USER), printersPerUser: PRINTERS_PER_USER }
  // With the limits that an operator has: nobody may be refused by them.
  const env = { PRINTWARDEN_LIMITS: '' }
  const world = await openWorld({ ...options, nodes: 1, populations: [population], env })
  const floor = await openWebsocketFloor()
  const all = (world.people[0] ?? []).flatMap(({ printers }) => printers.map(({ authToken }) => authToken))
  const tokens = all.slice(0, count)
  const { postgres, redis } = world.enginePids
  return {
    async run() {
      const bare = await storm(floor.url, tokens)
      const memory = { floor: costOf([floor.pid]).rssMb }
      await closeAgents(bare.agents)
      await untilAtRest([floor.pid])
      let ours: Storm = { agents: [], refused: 0, seconds: 0, times: [] }
      const cpu = await cpuDuring([world.pids, postgres, redis], async () => {
        ours = await storm(world.urls[0] ?? '', tokens)
      })
      const rss = { ...memoryFigure('storm', `RSS with ${count} agents, MB`, world), ...memory }
      await closeAgents(ours.agents)
      const both = (share: number) => ({
        ours: percentile(ours.times, share),
        floor: percentile(bare.times, share),
        digits: 0,
      })
      const each = cpu.map((ms) => ms / count)
      return [
        {
          key: 'storm.seconds',
          label: `seconds until ${count} are in`,
          ours: ours.seconds,
          floor: bare.seconds,
          digits: 2,
        },
        { key: 'storm.refused', label: 'refused', ours: ours.refused, digits: 0 },
        { key: 'storm.p50', label: 'until an agent is in, p50 ms', ...both(0.5) },
        { key: 'storm.p99', label: 'until an agent is in, p99 ms', ...both(0.99) },
        { key: 'storm.cpu', label: 'CPU of the server, ms an agent', ours: each[0] ?? 0, digits: 2 },
        ...engineFigures('storm', 'agent', options, each),
        rss,
      ]
    },
    async close() {
      await Promise.all([world.close(), floor.close()])
    },
  }
}

async function storm(url: string, tokens: readonly string[]): Promise<Storm> {
  const started = performance.now()
  const times: number[] = []
  const connect = async (token: string, index: number): Promise<LoadAgent> => {
    const agent = await connectAgent(url, token, index)
    times.push(performance.now() - started)
    return agent
  }
  const results = await Promise.allSettled(tokens.map(connect))
  const seconds = (performance.now() - started) / 1000
  const agents = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  return { agents, refused: results.length - agents.length, seconds, times }
}
