import { setTimeout as delay } from 'node:timers/promises'
import { ABUSES } from './abuses.js'
import { beginPrints, closeAgents, connectAgents, type LoadAgent } from './load/agents.js'
import type { Bench, Figure, LoadOptions, OpenBench } from './load/bench.js'
import { type Dashboard, openDashboard } from './load/dashboards.js'
import { costOf } from './load/meter.js'
import { pace } from './load/pace.js'
import type { SeededUser } from './load/seed.js'
import { openWorld, type World } from './load/world.js'
import { percentile } from './measure.js'
import { startBench } from './programs.js'

// One bad client beside good ones: how soon dashboards see what 200 agents report before it comes and while it does its worst, with the limits that
// everybody has. It has a user, printers and an address of its own, as in real life.

const AGENTS = 200
const PRINTERS_PER_USER = 5
const DASHBOARDS = 40
const ABUSER_ADDRESS = '127.9.9.9'
/** So long an abuse goes on before it is measured: the first burst is allowed to everybody. */
const LEAD_MS = 2000

export const abuserBench: Bench = {
  name: 'abuser',
  about: `what ${AGENTS} good agents and their dashboards notice of a bad client, abuse by abuse`,
  open: openAbuser,
}

async function openAbuser(options: LoadOptions): Promise<OpenBench> {
  const count = options.agents ?? AGENTS
  const good = { users: Math.ceil(count / PRINTERS_PER_USER), printersPerUser: PRINTERS_PER_USER }
  const bad = { users: 1, printersPerUser: 1, printsPerUser: 10_000 }
  // Empty: those that everybody has.
  const world = await openWorld({ ...options, nodes: 1, populations: [good, bad], env: { PRINTWARDEN_LIMITS: '' } })
  const url = world.urls[0] ?? ''
  const users = world.people[0] ?? []
  const [abuser] = world.people[1] ?? []
  if (abuser === undefined) throw new Error('nobody was seeded')
  const tokens = users.flatMap(({ printers }) => printers.map(({ authToken }) => authToken)).slice(0, count)
  const agents = await connectAgents(url, tokens)
  await beginPrints(agents)
  const dashboards = await Promise.all(
    users.slice(0, DASHBOARDS).map(({ token }, index) => openDashboard(url, token, 'all', index)),
  )
  const farm = { agents, dashboards, seconds: options.seconds }
  await visibleP99(farm)
  return {
    async run() {
      const figures: Figure[] = []
      for (const name of Object.keys(ABUSES)) figures.push(...(await figuresOf(name, world, abuser, farm)))
      return [...figures, { key: 'abuser.rss', label: 'RSS at the end, MB', ours: costOf(world.pids).rssMb, digits: 0 }]
    },
    async close() {
      await Promise.all(dashboards.map((dashboard) => dashboard.close()))
      await closeAgents(agents)
      await world.close()
    },
  }
}

/** The good ones. */
interface Farm {
  readonly agents: readonly LoadAgent[]
  readonly dashboards: readonly Dashboard[]
  readonly seconds: number
}

/** Before and during one abuse, one right after the other: other load of the machine meets both. */
async function figuresOf(name: string, world: World, abuser: SeededUser, farm: Farm): Promise<Figure[]> {
  const before = await visibleP99(farm)
  const [printer] = abuser.printers
  const client = startBench('abuser-client.ts', [
    ...['--abuse', name, '--url', world.urls[0] ?? '', '--address', ABUSER_ADDRESS],
    ...['--token', abuser.token, '--auth-token', printer?.authToken ?? ''],
  ])
  const tally = client.line((line) => (line.startsWith('{') ? line : undefined))
  await client.line((line) => (line === 'begun' ? true : undefined))
  await delay(LEAD_MS)
  const during = await visibleP99(farm)
  await client.stop()
  console.error(`${name}: ${before.toFixed(1)} ms, then ${during.toFixed(1)} ms; ${await tally}`)
  const key = `abuser.${name.replaceAll(/\W+/g, '-')}`
  return [
    { key: `${key}.before`, label: `${name}: p99 before, ms`, ours: before },
    { key: `${key}.during`, label: `${name}: p99 during, ms`, ours: during },
    { key: `${key}.ratio`, label: `${name}: times as long`, ours: during / before, digits: 2 },
  ]
}

/**
 * Each good agent reports once a second; resolves with the 99th percentile of the milliseconds until its user's dashboard shows it.
 *
 * @throws when a good agent was cut off, or a dashboard was shown too little
 */
async function visibleP99({ agents, dashboards, seconds }: Farm): Promise<number> {
  for (const dashboard of dashboards) dashboard.forget()
  const sent = await pace(agents.length, seconds, (sequence) => agents[sequence % agents.length]?.sendStatus())
  await Promise.all(agents.map((agent) => agent.applied()))
  await delay(LEAD_MS)
  const ages = dashboards.flatMap((dashboard) => dashboard.ages)
  // What comes within a quarter of a second is shown once; at one a second hardly anything does.
  if (ages.length < sent / 2) throw new Error(`${sent} messages were sent and ${ages.length} shown`)
  return percentile(ages, 0.99)
}
