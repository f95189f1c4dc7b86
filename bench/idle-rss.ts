import { setTimeout as delay } from 'node:timers/promises'
import { flagsOf } from '@printwarden/protocol'
import { closeAgents, connectAgents, type LoadAgent } from './load/agents.js'
import type { Bench, LoadOptions, OpenBench } from './load/bench.js'
import { openWebsocketFloor } from './load/floors.js'
import { costOf, untilAtRest } from './load/meter.js'
import { openWorld } from './load/world.js'

// The memory of a server whose agents are connected, have told that they are idle, and tell it again twice a minute. Each run starts the
// server anew: what earlier ones have left is not counted. No detector, which has its memory in `npm run bench -- start`.

const AGENTS = 1000
const PRINTERS_PER_USER = 20
const KB = 1024
/** How often an agent tells that nothing has changed. */
const STATUS_MS = 30_000
/**
 * The life of a server is to be measured, not the moment after its start or after a storm: by then what these have left is collected.
 */
const EMPTY_MS = 25_000
const IDLE_MS = 40_000

export const idleRssBench: Bench = {
  name: 'idle-rss',
  about: `resident memory with ${AGENTS} idle agents (or --agents 5000), and kB an agent`,
  open: openIdle,
}

async function openIdle(options: LoadOptions): Promise<OpenBench> {
  const count = options.agents ?? AGENTS
  const population = { users: Math.ceil(count / PRINTERS_PER_USER), printersPerUser: PRINTERS_PER_USER }
  const world = await openWorld({ ...options, nodes: 1, populations: [population] })
  const all = (world.people[0] ?? []).flatMap(({ printers }) => printers.map(({ authToken }) => authToken))
  const tokens = all.slice(0, count)

  /** Memory in MB without agents and with them, once all is quiet. */
  async function measure(url: string, pids: readonly number[]): Promise<{ empty: number; full: number }> {
    await untilAtRest(pids)
    await delay(EMPTY_MS)
    const empty = costOf(pids).rssMb
    const agents = await connectAgents(url, tokens)
    await tellIdle(agents)
    await stayIdle(agents, Math.max(options.seconds * 1000, IDLE_MS))
    const full = costOf(pids).rssMb
    await closeAgents(agents)
    return { empty, full }
  }

  return {
    async run() {
      const floor = await openWebsocketFloor()
      await world.restart()
      // Both at once: memory does not depend on who else is busy, and each takes more than a minute.
      const [bare, ours] = await Promise.all([
        measure(floor.url, [floor.pid]),
        measure(world.urls[0] ?? '', world.pids),
      ])
      await floor.close()
      const each = ({ empty, full }: { empty: number; full: number }): number => ((full - empty) * KB) / count
      return [
        { key: 'idle.empty', label: 'RSS without agents, MB', ours: ours.empty, floor: bare.empty, digits: 0 },
        { key: 'idle.rss', label: `RSS with ${count} idle agents, MB`, ours: ours.full, floor: bare.full, digits: 0 },
        { key: 'idle.agent', label: 'kB an agent', ours: each(ours), floor: each(bare), digits: 1 },
      ]
    },
    close: () => world.close(),
  }
}

async function tellIdle(agents: readonly LoadAgent[]): Promise<void> {
  for (const agent of agents) agent.send(idleStatus())
  await Promise.all(agents.map((agent) => agent.applied()))
}

/** For so long each agent tells its status, one after another, as those do that started at different times. */
async function stayIdle(agents: readonly LoadAgent[], ms: number): Promise<void> {
  const until = performance.now() + ms
  for (let turn = 0; performance.now() < until; turn = (turn + 1) % agents.length) {
    agents[turn]?.send(idleStatus())
    await delay(STATUS_MS / agents.length)
  }
  await Promise.all(agents.map((agent) => agent.applied()))
}

function idleStatus(): string {
  const status = { _ts: Date.now() / 1000, state: { text: 'Operational', flags: flagsOf('Operational') } }
  return JSON.stringify({ current_print_ts: -1, status })
}
