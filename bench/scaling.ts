import { beginPrints, closeAgents, connectAgents, type LoadAgent } from './load/agents.js'
import { type Bench, type Figure, type LoadOptions, memoryFigure, type OpenBench } from './load/bench.js'
import { openDashboard } from './load/dashboards.js'
import { cpuDuring } from './load/meter.js'
import { pace } from './load/pace.js'
import { openWorld, type World } from './load/world.js'
import { percentile } from './measure.js'

// The same load on one, two and four servers, on a PostgreSQL and a Redis that are started anew for each: what a message costs all servers together
// and each engine, how soon it is seen at another server than the agent's, and how many messages are taken. All processes and the load
// generator share one machine: where its cores are all busy, more servers cannot take more, and the CPU of a message tells what they would.

const AGENTS = 200
const PRINTERS_PER_USER = 5
const DASHBOARDS = 20
const PER_AGENT = 5
/** As fast as they are taken: so many at once from each agent, so often. Within what an agent may send at once. */
const AT_ONCE = 10
const ROUNDS = 10

export const scalingBench: Bench = {
  name: 'scaling',
  about: `${AGENTS} agents on 1, 2 and 4 servers (--nodes) with PostgreSQL and Redis: CPU of a message, what is taken, how soon it is seen`,
  async open(options): Promise<OpenBench> {
    return {
      async run() {
        const figures: Figure[] = []
        for (const nodes of options.nodes) figures.push(...(await measure(nodes, options)))
        return figures
      },
      close: async () => undefined,
    }
  },
}

async function measure(nodes: number, options: LoadOptions): Promise<Figure[]> {
  const count = options.agents ?? AGENTS
  const population = { users: Math.ceil(count / PRINTERS_PER_USER), printersPerUser: PRINTERS_PER_USER }
  const world = await openWorld({ ...options, engine: 'fleet', nodes, populations: [population] })
  const tokens = (world.people[0] ?? []).flatMap(({ printers }) => printers.map(({ authToken }) => authToken))
  const agents = await connectAgents(world.urls, tokens.slice(0, count))
  await beginPrints(agents)
  const cpu = await cpuOf(world, agents, options.seconds)
  const rate = await rateOf(agents)
  const ages = await agesOf(world, agents, options.seconds)
  const key = `scaling.${nodes}`
  const label = (text: string): string => `${nodes} ${nodes === 1 ? 'server' : 'servers'}: ${text}`
  const memory = memoryFigure(key, label('RSS of all servers, MB'), world)
  await closeAgents(agents)
  await world.close()
  return [
    { key: `${key}.cpu`, label: label('CPU of all servers, ms a message'), ours: cpu[0] ?? 0, digits: 4 },
    { key: `${key}.redis`, label: label('CPU of Redis, ms a message'), ours: cpu[2] ?? 0, digits: 4 },
    { key: `${key}.postgres`, label: label('CPU of PostgreSQL, ms a message'), ours: cpu[1] ?? 0, digits: 4 },
    { key: `${key}.rate`, label: label('messages a second, as fast as they are taken'), ours: rate, digits: 0 },
    { key: `${key}.p50`, label: label('sent to seen at another server, p50 ms'), ours: percentile(ages, 0.5) },
    { key: `${key}.p99`, label: label('sent to seen at another server, p99 ms'), ours: percentile(ages, 0.99) },
    memory,
  ]
}

/** CPU of a message, in milliseconds: of the servers, of PostgreSQL and of Redis. */
async function cpuOf({ pids, enginePids }: World, agents: readonly LoadAgent[], seconds: number): Promise<number[]> {
  let sent = 0
  const cpu = await cpuDuring([pids, enginePids.postgres, enginePids.redis], async () => {
    sent = await sendFor(agents, PER_AGENT, seconds)
  })
  return cpu.map((ms) => ms / sent)
}

async function sendFor(agents: readonly LoadAgent[], perAgent: number, seconds: number): Promise<number> {
  const sent = await pace(agents.length * perAgent, seconds, (sequence) => {
    agents[sequence % agents.length]?.sendStatus()
  })
  await Promise.all(agents.map((agent) => agent.applied()))
  return sent
}

async function rateOf(agents: readonly LoadAgent[]): Promise<number> {
  const started = performance.now()
  await Promise.all(
    agents.map(async (agent) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        for (let index = 0; index < AT_ONCE; index += 1) agent.sendStatus()
        await agent.applied()
      }
    }),
  )
  return (agents.length * AT_ONCE * ROUNDS) / ((performance.now() - started) / 1000)
}

/** Each dashboard looks at one printer, from the server after the one that its agent is connected to. */
async function agesOf({ urls, people }: World, agents: readonly LoadAgent[], seconds: number): Promise<number[]> {
  const users = (people[0] ?? []).slice(0, DASHBOARDS)
  const dashboards = await Promise.all(
    users.map(({ token, printers }, index) => {
      const agentAt = (index * PRINTERS_PER_USER) % urls.length
      const url = urls[(agentAt + 1) % urls.length] ?? ''
      return openDashboard(url, token, [printers[0]?.id ?? 0], index)
    }),
  )
  await sendFor(agents, 1, 1)
  for (const dashboard of dashboards) dashboard.forget()
  await sendFor(agents, 1, seconds)
  const ages = dashboards.flatMap((dashboard) => dashboard.ages)
  await Promise.all(dashboards.map((dashboard) => dashboard.close()))
  return ages
}
