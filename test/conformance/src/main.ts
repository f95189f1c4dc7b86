#!/usr/bin/env node
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { allCases } from './all-cases.js'
import { selectCases } from './case.js'
import { lineOf, reportOf } from './report.js'
import { type CaseResult, openRun } from './run.js'
import { readTarget, TargetError } from './target.js'

const USAGE = `usage: printwarden-conformance --target target.json [--only ID|group|section] [--report out.json] [--list]

  --target FILE   the server, and what was made there for the run
  --only WHAT     a case, the cases of a file (printers), a group (contract, decisions) or a section ("api.md §4.2")
  --report FILE   writes the outcome as JSON
  --list          shows the cases without running them`

/** Exit codes: the server keeps every rule, breaks some, or could not be tried. */
const EXIT = { passed: 0, failed: 1, usage: 2 } as const

class UsageError extends Error {
  override readonly name = 'UsageError'
}

function readArguments() {
  try {
    const text = { type: 'string' } as const
    const { values } = parseArgs({
      options: {
        target: text,
        only: text,
        report: text,
        list: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    return values
  } catch (err) {
    throw new UsageError(err instanceof Error ? err.message : String(err))
  }
}

async function main(): Promise<number> {
  const { target: file, only, report, list, help } = readArguments()
  if (help === true) {
    console.log(USAGE)
    return EXIT.passed
  }
  const cases = selectCases(await allCases(), only)
  if (cases.length === 0) throw new UsageError(`no case is called ${only}`)
  if (list === true) {
    for (const { id, group, section, title } of cases) console.log(`${id} [${group}, ${section}]: ${title}`)
    return EXIT.passed
  }
  if (file === undefined) throw new UsageError('--target is missing')

  const target = await readTarget(file)
  await checkReachable(target.base_url)
  const startedAt = new Date()
  const started = performance.now()
  const run = openRun(target)
  const results: CaseResult[] = []
  for (const one of cases) {
    const result = await run.runCase(one)
    results.push(result)
    console.log(lineOf(result))
  }
  const outcome = reportOf(target.base_url, startedAt, performance.now() - started, results)
  if (report !== undefined) await writeFile(report, `${JSON.stringify(outcome, null, 2)}\n`)
  const { contract, decisions } = outcome.groups
  console.log(`contract: ${contract.passed} passed, ${contract.failed} failed`)
  console.log(`decisions: ${decisions.passed} passed, ${decisions.failed} failed`)
  console.log(`${outcome.passed} passed, ${outcome.failed} failed`)
  return outcome.failed === 0 ? EXIT.passed : EXIT.failed
}

/** One clear message instead of a failure of every case. */
async function checkReachable(baseUrl: string): Promise<void> {
  try {
    await fetch(baseUrl, { redirect: 'manual', signal: AbortSignal.timeout(10_000) })
  } catch (err) {
    throw new TargetError(`no server answers at ${baseUrl}`, { cause: err })
  }
}

try {
  process.exitCode = await main()
} catch (err) {
  if (!(err instanceof UsageError) && !(err instanceof TargetError)) throw err
  console.error(err instanceof UsageError ? `${err.message}\n\n${USAGE}` : err.message)
  process.exitCode = EXIT.usage
}
