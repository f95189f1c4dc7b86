import { percentile } from '../measure.js'
import { engineFigures, type Figure, type LoadOptions, memoryFigure } from './bench.js'
import type { Floor } from './floors.js'
import { cpuDuring } from './meter.js'
import { type Call, loadFor, type RestClient, type RestLoad } from './requests.js'
import type { World } from './world.js'

/** A load of requests: whose, of what, and what the bare floor is asked meanwhile. */
export interface RestTask {
  readonly key: string
  readonly label: string
  readonly unit: string
  readonly ours: readonly RestClient[]
  readonly bare: readonly RestClient[]
  readonly callOf: (client: number, sequence: number) => Call
  /** Where it differs from what the server is asked. */
  readonly bareCallOf?: (client: number, sequence: number) => Call
}

interface Measured {
  /** Milliseconds a request, of each group of programs. */
  readonly cpu: readonly number[]
  readonly load: RestLoad
}

/** Loads the floor, then the server, each for `seconds`; CPU, rate and times of a request. */
export async function measureRest(
  task: RestTask,
  { world, floor, options }: { readonly world: World; readonly floor: Floor; readonly options: LoadOptions },
): Promise<Figure[]> {
  const { postgres, redis } = world.enginePids
  const bareCallOf = (client: number, sequence: number): Call => (task.bareCallOf ?? task.callOf)(client, sequence)
  const bare = await measure(task.bare, [[floor.pid]], options.seconds, bareCallOf)
  const ours = await measure(task.ours, [world.pids, postgres, redis], options.seconds, (client, sequence) =>
    task.callOf(client, sequence),
  )
  const refused = task.ours.reduce((sum, client) => sum + client.refused(), 0)
  const both = (of: (measured: Measured) => number) => ({ ours: of(ours), floor: of(bare) })
  return [
    { key: `${task.key}.cpu`, label: `${task.label}: CPU ms`, ...both(({ cpu }) => cpu[0] ?? 0), digits: 3 },
    ...engineFigures(task.key, task.unit, options, ours.cpu),
    { key: `${task.key}.rate`, label: `${task.label}: a second`, ...both(rateOf), digits: 0 },
    { key: `${task.key}.p50`, label: `${task.label}: p50 ms`, ...both(({ load }) => percentile(load.times, 0.5)) },
    { key: `${task.key}.p99`, label: `${task.label}: p99 ms`, ...both(({ load }) => percentile(load.times, 0.99)) },
    memoryFigure(task.key, `${task.label}: RSS in MB afterwards`, world, floor),
    // What is told to wait is no measure of what it costs: this must be 0.
    { key: `${task.key}.refused`, label: `${task.label}: answered 429 so far`, ours: refused, digits: 0 },
  ]
}

const rateOf = ({ load }: Measured): number => load.count / load.seconds

async function measure(
  clients: readonly RestClient[],
  groups: readonly (readonly number[])[],
  seconds: number,
  callOf: (client: number, sequence: number) => Call,
): Promise<Measured> {
  let load: RestLoad | undefined
  const cpu = await cpuDuring(groups, async () => {
    load = await loadFor(clients, seconds, callOf)
  })
  if (load === undefined || load.count === 0) throw new Error('nothing was answered in time; try more --seconds')
  const { count } = load
  return { cpu: cpu.map((ms) => ms / count), load }
}
