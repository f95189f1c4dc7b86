import { beginPrints, closeAgents, connectAgents, type LoadAgent } from './load/agents.js'
import { type Bench, engineFigures, type Figure, type LoadOptions, memoryFigure, type OpenBench } from './load/bench.js'
import { openDashboard } from './load/dashboards.js'
import { openWebsocketFloor } from './load/floors.js'
import { cpuDuring } from './load/meter.js'
import { pace } from './load/pace.js'
import { openWorld, type World } from './load/world.js'
import { percentile } from './measure.js'

// What a status message costs, and how soon it is seen: printing agents that send full messages at a steady pace within their limit,
// first with nobody looking, then once a second each with dashboards open.

const AGENTS = 200
const PRINTERS_PER_USER = 5
const DASHBOARDS = 20
/** Messages a second of all agents together, while each sends one a second at least and 20 at most. */
const TOTAL_RATE = 4000
const MAX_RATE = 20

const ratePerAgent = (agents: number): number => Math.min(MAX_RATE, Math.max(1, TOTAL_RATE / agents))

export const statusBench: Bench = {
  name: 'status',
  about: `status messages of ${AGENTS} printing agents (or --agents 5000): CPU each, and how soon dashboards see them`,
  open: openStatus,
}

async function openStatus(options: LoadOptions): Promise<OpenBench> {
  const count = options.agents ?? AGENTS
  const population = { users: Math.ceil(count / PRINTERS_PER_USER), printersPerUser: PRINTERS_PER_USER }
  const world = await openWorld({ ...options, nodes: 1, populations: [population] })
  const floor = await openWebsocketFloor()
  const tokens = (world.people[0] ?? []).flatMap(({ printers }) => printers.map(({ authToken }) => authToken))
  const ours = await connectAgents(world.urls[0] ?? '', tokens.slice(0, count))
  await beginPrints(ours)
  const { postgres, redis } = world.enginePids
  const groups = [world.pids, postgres, redis]
  return {
    async run() {
      const bare = await connectAgents(floor.url, tokens.slice(0, count))
      const floorLoad = await load(bare, [[floor.pid]], options.seconds)
      const { cpu, rate } = await load(ours, groups, options.seconds)
      const memory = memoryFigure('status', `RSS with ${count} agents, MB`, world, floor)
      await closeAgents(bare)
      const floorCpu = floorLoad.cpu[0] ?? Number.NaN
      return [
        { key: 'status.cpu', label: 'CPU of the server, ms a message', ours: cpu[0] ?? 0, floor: floorCpu, digits: 4 },
        ...engineFigures('status', 'message', options, cpu),
        { key: 'status.rate', label: 'sent and applied a second', ours: rate, floor: floorLoad.rate, digits: 0 },
        ...(await visibilityOf(world, ours, options.seconds)),
        memory,
      ]
    },
    async close() {
      await closeAgents(ours)
      await Promise.all([world.close(), floor.close()])
    },
  }
}

interface Load {
  /** Of each group of programs for a message, in milliseconds. */
  readonly cpu: readonly number[]
  /** Messages a second, until the last one was applied. */
  readonly rate: number
}

async function load(
  agents: readonly LoadAgent[],
  groups: readonly (readonly number[])[],
  seconds: number,
): Promise<Load> {
  let sent = 0
  let rate = 0
  const cpu = await cpuDuring(groups, async () => {
    const started = performance.now()
    sent = await sendAll(agents, ratePerAgent(agents.length), seconds)
    rate = sent / ((performance.now() - started) / 1000)
  })
  return { cpu: cpu.map((ms) => ms / sent), rate }
}

/** Lets all agents send in turn; resolves with how many were sent, once they are applied. */
async function sendAll(agents: readonly LoadAgent[], perAgent: number, seconds: number): Promise<number> {
  const sent = await pace(agents.length * perAgent, seconds, (sequence) => {
    agents[sequence % agents.length]?.sendStatus()
  })
  await Promise.all(agents.map((agent) => agent.applied()))
  return sent
}

/** Each agent sends once a second; half of the dashboards look at one printer, half at all of their user's. */
async function visibilityOf(world: World, agents: readonly LoadAgent[], seconds: number): Promise<Figure[]> {
  const url = world.urls[0] ?? ''
  const users = (world.people[0] ?? []).slice(0, DASHBOARDS)
  const dashboards = await Promise.all(
    users.map(({ token, printers }, index) => {
      const [first] = printers
      return openDashboard(url, token, index % 2 === 0 && first !== undefined ? [first.id] : 'all', index)
    }),
  )
  await sendAll(agents, 1, 1)
  for (const dashboard of dashboards) dashboard.forget()
  await sendAll(agents, 1, seconds)
  const agesOf = (rest: number): number[] => dashboards.flatMap(({ ages }, index) => (index % 2 === rest ? ages : []))
  const [one, all] = [agesOf(0), agesOf(1)]
  await Promise.all(dashboards.map((dashboard) => dashboard.close()))
  return [
    { key: 'status.one.p50', label: 'sent to seen, one printer, p50 ms', ours: percentile(one, 0.5) },
    { key: 'status.one.p99', label: 'sent to seen, one printer, p99 ms', ours: percentile(one, 0.99) },
    { key: 'status.all.p50', label: `sent to seen, ${PRINTERS_PER_USER} printers, p50 ms`, ours: percentile(all, 0.5) },
    {
      key: 'status.all.p99',
      label: `sent to seen, ${PRINTERS_PER_USER} printers, p99 ms`,
      ours: percentile(all, 0.99),
    },
  ]
}
