import { type Bench, type LoadOptions } from './load/bench.js'
import { LOAD_BENCHES } from './load/benches.js'
import type { Summary } from './load/report.js'
import { runBench } from './load/run.js'
import type { Engine } from './load/world.js'
import { show, table } from './measure.js'

/** What is aimed at, and what the upstream service and a bare floor took for the same on such a machine. */
interface Aim {
  readonly work: string
  readonly bench: string
  readonly key: string
  readonly upstream: string
  readonly unit: string
  /** The median of the runs must not be above it. */
  readonly most: number
}

const CPU = 'CPU ms'

export const AIMS: readonly Aim[] = [
  { work: 'status message, 200 agents', bench: 'status', key: 'status.cpu', upstream: '6.9', unit: CPU, most: 0.06 },
  { work: 'snapshot, no detection', bench: 'snapshots', key: 'snapshots.cpu', upstream: '28', unit: CPU, most: 2 },
  { work: 'printers list (10)', bench: 'rest', key: 'rest.printers.cpu', upstream: '81', unit: CPU, most: 1 },
  { work: 'prints list (24 of 1,000)', bench: 'rest', key: 'rest.prints.cpu', upstream: '251', unit: CPU, most: 1 },
  { work: 'prints list (24 of 100,000)', bench: 'rest', key: 'rest.history.cpu', upstream: '–', unit: CPU, most: 1 },
  { work: 'PATCH printer', bench: 'rest', key: 'rest.patch.cpu', upstream: '51', unit: CPU, most: 1 },
  { work: 'pause → agent, p50', bench: 'command', key: 'command.p50', upstream: '40', unit: 'ms', most: 3 },
  { work: 'pause → agent, p99', bench: 'command', key: 'command.p99', upstream: '83', unit: 'ms', most: 15 },
  {
    ...{ work: '1,000 agents at once', bench: 'connect-storm', key: 'storm.seconds', unit: 's', most: 3 },
    upstream: '115 in after 104',
  },
  { work: 'of these refused', bench: 'connect-storm', key: 'storm.refused', upstream: '885', unit: '', most: 0 },
  { work: 'RSS, 1,000 idle agents', bench: 'idle-rss', key: 'idle.rss', upstream: '236', unit: 'MB', most: 160 },
  { work: 'cold start', bench: 'start', key: 'start.ms', upstream: '3700', unit: 'ms', most: 1200 },
]

/** One line of the table for one engine. */
export interface Result {
  readonly aim: Aim
  readonly engine: Engine
  readonly summary: Summary
}

export const isMet = ({ aim, summary }: Result): boolean => summary.ours.median <= aim.most

/** Measures what all aims are about, first on the embedded engine, then on PostgreSQL and Redis. */
export async function measureAims(options: LoadOptions, progress: (text: string) => void): Promise<Result[]> {
  const results: Result[] = []
  for (const engine of ['embedded', 'fleet'] as const) {
    for (const bench of benchesOfAims()) {
      progress(`${bench.name}, ${engine} …`)
      const summaries = await runBench(bench, { ...options, engine })
      results.push(...resultsOf(bench, engine, summaries))
    }
  }
  return results
}

const benchesOfAims = (): Bench[] => LOAD_BENCHES.filter(({ name }) => AIMS.some(({ bench }) => bench === name))

function resultsOf(bench: Bench, engine: Engine, summaries: readonly Summary[]): Result[] {
  return AIMS.filter((aim) => aim.bench === bench.name).map((aim) => {
    const summary = summaries.find(({ key }) => key === aim.key)
    if (summary === undefined) throw new Error(`${bench.name} does not measure ${aim.key}`)
    return { aim, engine, summary }
  })
}

/** The table of docs/performance.md: a line for each aim. */
export function aimsTable(results: readonly Result[]): string {
  const rows = AIMS.map((aim) => {
    const of = (engine: Engine) => results.find((result) => result.aim.key === aim.key && result.engine === engine)
    const [embedded, fleet] = [of('embedded'), of('fleet')]
    return [
      aim.unit === '' ? aim.work : `${aim.work}, ${aim.unit}`,
      aim.upstream,
      embedded?.summary.floor === undefined ? '–' : show(embedded.summary.floor, embedded.summary.digits),
      ...[embedded, fleet].flatMap(cellsOf),
      `≤ ${aim.most}`,
    ]
  })
  return table(['work', 'upstream', 'floor', 'embedded', 'met', 'PostgreSQL and Redis', 'met', 'aim'], rows)
}

function cellsOf(result: Result | undefined): string[] {
  if (result === undefined) return ['–', '–']
  return [show(result.summary.ours, result.summary.digits), isMet(result) ? 'yes' : 'no']
}
