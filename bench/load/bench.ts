import type { Floor } from './floors.js'
import { costOf } from './meter.js'
import type { Engine, World } from './world.js'

/** What a benchmark is asked for. */
export interface LoadOptions {
  readonly runs: number
  /** How long each load lasts. */
  readonly seconds: number
  /** Undefined: the number that the benchmark is about. */
  readonly agents: number | undefined
  /** Numbers of servers, for the benchmark of scaling. */
  readonly nodes: readonly number[]
  readonly engine: Engine
  readonly json: boolean
  /** A folder for CPU profiles of the servers. */
  readonly cpuProf: string | undefined
}

/** One figure of one run. */
export interface Figure {
  /** The same in every run: `status.cpu`. */
  readonly key: string
  /** What it says, with its unit. */
  readonly label: string
  readonly ours: number
  /** The same measured on the bare floor. */
  readonly floor?: number
  readonly digits?: number
}

/** A benchmark that is ready to be run several times. */
export interface OpenBench {
  run(): Promise<readonly Figure[]>
  close(): Promise<void>
}

/** One benchmark of the load generator. */
export interface Bench {
  readonly name: string
  readonly about: string
  open(options: LoadOptions): Promise<OpenBench>
}

/** What PostgreSQL and Redis took, where they are programs of their own: `cpu` is of the server, of PostgreSQL and of Redis, in ms of one `unit`. */
export function engineFigures(key: string, unit: string, { engine }: LoadOptions, cpu: readonly number[]): Figure[] {
  if (engine === 'embedded') return []
  const [, postgres = 0, redis = 0] = cpu
  return [
    { key: `${key}.postgres`, label: `CPU of PostgreSQL, ms a ${unit}`, ours: postgres, digits: 3 },
    { key: `${key}.redis`, label: `CPU of Redis, ms a ${unit}`, ours: redis, digits: 3 },
  ]
}

/** What the servers keep in memory now, of all of them together, and what the floor does. */
export function memoryFigure(key: string, label: string, { pids }: World, floor?: Floor): Figure {
  const bare = floor === undefined ? {} : { floor: costOf([floor.pid]).rssMb }
  return { key: `${key}.rss`, label, ours: costOf(pids).rssMb, ...bare, digits: 0 }
}
