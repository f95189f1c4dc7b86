import { beginPrints, closeAgents, connectAgents, type LoadAgent } from './load/agents.js'
import { type Bench, engineFigures, type Figure, type LoadOptions, memoryFigure, type OpenBench } from './load/bench.js'
import { type Dashboard, openDashboard } from './load/dashboards.js'
import { type Floor, openWebsocketFloor } from './load/floors.js'
import { cpuDuring } from './load/meter.js'
import { pace } from './load/pace.js'
import type { SeededUser } from './load/seed.js'
import { openWorld, type World } from './load/world.js'
import { percentile } from './measure.js'

// What it costs to show one status to many dashboards, and many printers to some. The server tells each dashboard at most five times a second;
// the floor hands every message to every dashboard.

const SCENES = [
  { key: 'one', label: '1 printer → 200 dashboards', printers: 1, dashboards: 200, perAgent: 4 },
  { key: 'many', label: '200 printers → 20 dashboards', printers: 200, dashboards: 20, perAgent: 1 },
] as const

type Scene = (typeof SCENES)[number]

export const fanOutBench: Bench = {
  name: 'fan-out',
  about: 'one printer on 200 dashboards, and 200 printers on 20: CPU of a frame shown, and how old it is',
  open: openFanOut,
}

async function openFanOut(options: LoadOptions): Promise<OpenBench> {
  const populations = SCENES.map(({ printers }) => ({ users: 1, printersPerUser: printers }))
  const world = await openWorld({ ...options, nodes: 1, populations })
  const floor = await openWebsocketFloor()
  return {
    async run() {
      const figures: Figure[] = []
      for (const [index, scene] of SCENES.entries()) {
        const user = world.people[index]?.[0]
        if (user !== undefined) figures.push(...(await measure(scene, user, world, floor, options)))
      }
      return figures
    },
    async close() {
      await Promise.all([world.close(), floor.close()])
    },
  }
}

interface Shown {
  /** Milliseconds of CPU for each frame that was shown, of each group of programs. */
  readonly cpu: readonly number[]
  readonly ages: readonly number[]
  /** Frames a second. */
  readonly rate: number
}

async function measure(
  scene: Scene,
  { token, printers }: SeededUser,
  world: World,
  floor: Floor,
  options: LoadOptions,
): Promise<Figure[]> {
  const tokens = printers.map(({ authToken }) => authToken)
  const { postgres, redis } = world.enginePids
  const bare = await show(scene, floor.url, '', tokens, [[floor.pid]], options.seconds)
  const ours = await show(scene, world.urls[0] ?? '', token, tokens, [world.pids, postgres, redis], options.seconds)
  const key = `fan-out.${scene.key}`
  const both = (of: (shown: Shown) => number) => ({ ours: of(ours), floor: of(bare) })
  return [
    { key: `${key}.cpu`, label: `${scene.label}: CPU ms a frame`, ...both(({ cpu }) => cpu[0] ?? 0), digits: 4 },
    ...engineFigures(key, 'frame', options, ours.cpu),
    { key: `${key}.rate`, label: `${scene.label}: frames a second`, ...both(({ rate }) => rate), digits: 0 },
    { key: `${key}.p50`, label: `${scene.label}: sent to seen, p50 ms`, ...both(({ ages }) => percentile(ages, 0.5)) },
    { key: `${key}.p99`, label: `${scene.label}: sent to seen, p99 ms`, ...both(({ ages }) => percentile(ages, 0.99)) },
    memoryFigure(key, `${scene.label}: RSS in MB afterwards`, world, floor),
  ]
}

async function show(
  scene: Scene,
  url: string,
  userToken: string,
  tokens: readonly string[],
  groups: readonly (readonly number[])[],
  seconds: number,
): Promise<Shown> {
  const agents = await connectAgents(url, tokens)
  await beginPrints(agents)
  const dashboards: Dashboard[] = []
  for (let index = 0; index < scene.dashboards; index += 1) {
    dashboards.push(await openDashboard(url, userToken, 'all', index))
  }
  await sendFor(agents, scene, 1)
  for (const dashboard of dashboards) dashboard.forget()
  let took = 0
  const cpu = await cpuDuring(groups, async () => {
    const started = performance.now()
    await sendFor(agents, scene, seconds)
    took = (performance.now() - started) / 1000
  })
  const frames = dashboards.reduce((sum, dashboard) => sum + dashboard.ages.length, 0)
  const ages = dashboards.flatMap((dashboard) => dashboard.ages)
  await Promise.all([...dashboards.map((dashboard) => dashboard.close()), closeAgents(agents)])
  if (frames === 0) throw new Error(`${scene.label}: no dashboard saw anything`)
  return { cpu: cpu.map((ms) => ms / frames), ages, rate: frames / took }
}

async function sendFor(agents: readonly LoadAgent[], { perAgent }: Scene, seconds: number): Promise<void> {
  await pace(agents.length * perAgent, seconds, (sequence) => agents[sequence % agents.length]?.sendStatus())
  await Promise.all(agents.map((agent) => agent.applied()))
}
