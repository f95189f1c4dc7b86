import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { aimsTable, isMet, measureAims } from './aims.js'
import { capacityTables } from './capacity-table.js'
import type { Bench, LoadOptions } from './load/bench.js'
import { LOAD_BENCHES } from './load/benches.js'
import { readRequest, UsageError } from './load/options.js'
import { summaryTable } from './load/report.js'
import { runBench } from './load/run.js'

// `npm run bench`: the benchmarks of the load generator, which share their options, and those that are programs of their own.

/** Programs of their own, with their settings in BENCH_… variables. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'status-messages': 'status messages as fast as they are taken, beside a bare websocket server',
  'upstream-door': 'the same through the door of upstream agents',
  predictions: 'from the upload of a picture to its prediction, and the parts of it',
  agent: 'memory, CPU and traffic of the agent',
  'printer-hosts': 'the agent beside real OctoPrint and Moonraker',
  'prints-list': 'lists and statistics of 100 to 1,000,000 prints',
  'g-code-upload': 'uploads of 20 and 200 MB',
  'bucket-uploads': 'the memory of the server while uploads of 20 and 200 MB go on to a bucket',
  oauth: 'codes, refreshes, and whose a token is',
  detection: 'each stage of a frame, and what overload does',
  timelapse: 'videos beside bare ffmpeg',
  'serial-stream': 'lines a second over a serial line',
  blobs: 'pictures and files in S3 and on the disk, beside bare calls',
}

function usage(): string {
  const width = 18
  const lines = (entries: readonly (readonly [string, string])[]): string =>
    entries.map(([name, about]) => `  ${name.padEnd(width)}${about}`).join('\n')
  return `npm run bench -- NAME… [options]

Load, on servers that are started for it on loopback, beside a bare floor in the same run:
${lines(LOAD_BENCHES.map(({ name, about }) => [name, about]))}

  ${'aims'.padEnd(width)}the table of aims: what has an aim, on both engines
  ${'capacity'.padEnd(width)}the table of capacity, worked out from measured costs; nothing is run

Options of these:
  --runs N          how often each is run (1–20; 3)
  --seconds N       how long each load lasts (1–300; 5)
  --agents N        how many agents (1–10,000), where the benchmark is about agents
  --nodes 1,2,4     how many servers, for scaling
  --engine NAME     embedded, or fleet: a PostgreSQL and a Redis of their own (embedded)
  --json            one JSON object a benchmark instead of tables
  --cpu-prof PATH   a folder for the servers' CPU profiles

Programs of their own:
${lines(Object.entries(PROGRAMS))}

"list" and --help show this. A cell is min / median / max of the runs.`
}

/** What is measured is the built server; BENCH_BUILT=1 says that somebody has seen to it. */
function ensureBuilt(): void {
  if (process.env['BENCH_BUILT'] === '1') return
  const file = fileURLToPath(new URL('../scripts/ensure-built.mjs', import.meta.url))
  const { status } = spawnSync(process.execPath, [file], { stdio: 'inherit' })
  if (status !== 0) throw new UsageError('what is measured could not be built')
}

async function runLoad(bench: Bench, options: LoadOptions): Promise<void> {
  const figures = await runBench(bench, options)
  if (options.json) return console.log(JSON.stringify({ bench: bench.name, options, figures }))
  console.log(`\n## ${bench.name}, ${options.engine}\n\nmin / median / max of ${options.runs} runs\n`)
  console.log(summaryTable(figures))
}

async function runAims(options: LoadOptions): Promise<void> {
  const results = await measureAims(options, (text) => console.error(text))
  if (options.json) return console.log(JSON.stringify({ bench: 'aims', options, results }))
  console.log(`\n## aims\n\nmin / median / max of ${options.runs} runs, loads of ${options.seconds} s\n`)
  console.log(aimsTable(results))
  console.log(`\n${results.filter(isMet).length} of ${results.length} are met`)
}

function runProgram(name: string): void {
  console.log(`\n## ${name}\n`)
  const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url))
  const { status } = spawnSync(process.execPath, ['--conditions=x-source', '--import', 'tsx', file], {
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error(`${name} ended with ${status}`)
}

/** @throws {UsageError} when there is no such benchmark */
function runnerOf(name: string, options: LoadOptions): () => Promise<void> {
  const bench = LOAD_BENCHES.find((one) => one.name === name)
  if (bench !== undefined) return () => runLoad(bench, options)
  if (name === 'aims') return () => runAims(options)
  if (name in PROGRAMS) return async () => runProgram(name)
  throw new UsageError(`there is no benchmark ${name}; "npm run bench -- list" shows all`)
}

async function main(args: readonly string[]): Promise<void> {
  const { names, options, isHelp } = readRequest(args)
  if (names.length === 0 || names.includes('list') || isHelp) return console.log(usage())
  if (names.length === 1 && names[0] === 'capacity') return console.log(capacityTables())
  const runners = names.map((name) => runnerOf(name, options))
  ensureBuilt()
  for (const run of runners) await run()
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof UsageError ? error.message : error)
  process.exitCode = error instanceof UsageError ? 2 : 1
}
