#!/usr/bin/env node
import { appendFile, writeFile } from 'node:fs/promises'
import { agentCases } from './agent/all-cases.js'
import { openAgentRun } from './agent/run.js'
import { allCases } from './all-cases.js'
import { type Arguments, readArguments, USAGE, UsageError } from './arguments.js'
import { type CaseInfo, type CaseOf, selectCases, unknownWishes } from './case.js'
import { htmlReport } from './html-report.js'
import { openProgress } from './progress.js'
import { reportOf } from './report.js'
import { type CaseResult, openRun } from './run.js'
import { checkReachable, readTarget, TargetError } from './target.js'
import { KIT_VERSION } from './version.js'

/** Exit codes: every rule is kept, some are not, or nothing could be tried. */
const EXIT = { passed: 0, failed: 1, usage: 2 } as const

async function main(args: Arguments): Promise<number> {
  if (args.help) {
    console.log(USAGE)
    return EXIT.passed
  }
  return args.subject === 'agent' ? testAgent(args) : testServer(args)
}

async function testServer(args: Arguments): Promise<number> {
  const cases = chosen(await allCases(), args)
  if (args.list) return list(cases)
  const target = await readTarget(args.target ?? '')
  await checkReachable(target.base_url)
  const run = openRun(target, args.timeoutMs === undefined ? {} : { timeoutMs: args.timeoutMs })
  return runAll(args, cases, target.base_url, (one) => run.runCase(one))
}

async function testAgent(args: Arguments): Promise<number> {
  const cases = chosen(agentCases, args)
  if (args.list) return list(cases)
  const { listen, authToken = '', start, timeoutMs } = args
  const run = await openAgentRun({ ...(listen ?? { host: '127.0.0.1', port: 0 }), authToken, start, timeoutMs })
  try {
    console.log(run.instructions)
    return await runAll(args, cases, run.url, (one) => run.runCase(one))
  } finally {
    await run.close()
  }
}

/** @throws {UsageError} when a wish fits no case */
function chosen<T extends CaseInfo>(cases: readonly T[], { only, group }: Arguments): readonly T[] {
  const unknown = unknownWishes(cases, only)
  if (unknown.length > 0)
    throw new UsageError(unknown.map((wish) => `--only ${wish}: there is no such case`).join('\n'))
  const selected = selectCases(cases, { only, ...(group && { group }) })
  if (selected.length === 0) throw new UsageError('no case is left to run')
  return selected
}

function list(cases: readonly CaseInfo[]): number {
  for (const { id, group, section, title } of cases) console.log(`${id} [${group}, ${section}]: ${title}`)
  return EXIT.passed
}

async function runAll<C>(
  { subject, reports }: Arguments,
  cases: readonly CaseOf<C>[],
  target: string,
  runCase: (one: CaseOf<C>) => Promise<CaseResult>,
): Promise<number> {
  await checkWritable(reports)
  const startedAt = new Date()
  const started = performance.now()
  const progress = openProgress(process.stdout, cases.length)
  const results: CaseResult[] = []
  for (const one of cases) {
    progress.started(one)
    const result = await runCase(one)
    results.push(result)
    progress.ended(result)
  }
  const occasion = { subject, target, kitVersion: KIT_VERSION, startedAt, durationMs: performance.now() - started }
  const report = reportOf(occasion, results)
  for (const file of reports) {
    await writeFile(file, file.endsWith('.html') ? htmlReport(report) : `${JSON.stringify(report, null, 2)}\n`)
  }
  progress.finished(report)
  return report.failed === 0 ? EXIT.passed : EXIT.failed
}

/**
 * Asked before the run, since it would be lost otherwise.
 * @throws {UsageError} with every file that cannot be written
 */
async function checkWritable(files: readonly string[]): Promise<void> {
  const tries = await Promise.allSettled(files.map((file) => appendFile(file, '')))
  const problems = tries.flatMap((outcome) => (outcome.status === 'rejected' ? String(outcome.reason) : []))
  if (problems.length > 0) throw new UsageError(problems.map((text) => `--report: ${text}`).join('\n'))
}

try {
  process.exitCode = await main(readArguments(process.argv.slice(2)))
} catch (err) {
  if (!(err instanceof UsageError) && !(err instanceof TargetError)) throw err
  console.error(err instanceof UsageError ? `${err.message}\n\n${USAGE}` : err.message)
  process.exitCode = EXIT.usage
}
