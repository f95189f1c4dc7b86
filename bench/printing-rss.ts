import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { beginPrints, closeAgents, connectAgents } from './load/agents.js'
import type { Bench, LoadOptions, OpenBench } from './load/bench.js'
import { openWebsocketFloor } from './load/floors.js'
import { costOf, untilAtRest } from './load/meter.js'
import { pace } from './load/pace.js'
import { openWorld } from './load/world.js'

// The memory of a server whose agents all print and send a full status every second, as it is, and once its garbage is collected: what
// is left is what the agents need, the rest is what the engine had no reason yet to look at.

const AGENTS = 1000
const PRINTERS_PER_USER = 5
const KB = 1024
const COLLECTED_MS = 2000
const COLLECT = ['--require', fileURLToPath(new URL('load/collect.cjs', import.meta.url))]

export const printingRssBench: Bench = {
  name: 'printing-rss',
  about: `resident memory with ${AGENTS} printing agents (or --agents 5000), before and after its garbage is collected`,
  open: openPrinting,
}

interface Memory {
  readonly empty: number
  readonly busy: number
  readonly collected: number
}

async function openPrinting(options: LoadOptions): Promise<OpenBench> {
  const count = options.agents ?? AGENTS
  const population = { users: Math.ceil(count / PRINTERS_PER_USER), printersPerUser: PRINTERS_PER_USER }
  const world = await openWorld({ ...options, nodes: 1, populations: [population], nodeArgs: COLLECT })
  const all = (world.people[0] ?? []).flatMap(({ printers }) => printers.map(({ authToken }) => authToken))
  const tokens = all.slice(0, count)

  async function measure(url: string, pid: number): Promise<Memory> {
    await untilAtRest([pid])
    const empty = await collectedMb(pid)
    const agents = await connectAgents(url, tokens)
    await beginPrints(agents)
    await pace(count, options.seconds, (sequence) => agents[sequence % count]?.sendStatus())
    await Promise.all(agents.map((agent) => agent.applied()))
    const busy = costOf([pid]).rssMb
    const collected = await collectedMb(pid)
    await closeAgents(agents)
    return { empty, busy, collected }
  }

  return {
    async run() {
      await world.restart()
      const ours = await measure(world.urls[0] ?? '', world.pids[0] ?? 0)
      const floor = await openWebsocketFloor(COLLECT)
      const bare = await measure(floor.url, floor.pid)
      await floor.close()
      const figure = (key: string, label: string, of: (memory: Memory) => number, digits: number) => ({
        ...{ key: `printing.${key}`, label, ours: of(ours), floor: of(bare), digits },
      })
      const each = (mb: number): number => (mb * KB) / count
      return [
        figure('empty', 'RSS without agents, MB', ({ empty }) => empty, 0),
        figure('rss', `RSS with ${count} printing agents, MB`, ({ busy }) => busy, 0),
        figure('collected', 'once its garbage is collected, MB', ({ collected }) => collected, 0),
        figure('agent', 'kB an agent', ({ busy, empty }) => each(busy - empty), 1),
        figure('kept', 'kB an agent, garbage collected', ({ collected, empty }) => each(collected - empty), 1),
      ]
    },
    close: () => world.close(),
  }
}

async function collectedMb(pid: number): Promise<number> {
  process.kill(pid, 'SIGUSR2')
  await delay(COLLECTED_MS)
  return costOf([pid]).rssMb
}
