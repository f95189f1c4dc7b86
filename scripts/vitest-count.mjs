// Runs vitest and ends with the line "N passed, N failed", which vitest itself does not print. Arguments go to vitest, but for
// `--twice`: files that fail are then run a second time, which counts. That is for real programs on a busy machine alone; the output
// names the files.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Runs vitest and counts; a run that breaks off counts as one failure. */
export function runVitest(args) {
  const folder = mkdtempSync(join(tmpdir(), 'printwarden-vitest-'))
  const report = join(folder, 'report.json')
  const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
  const options = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { status } = spawnSync(process.execPath, [vitest, ...options, ...args], { stdio: 'inherit' })
  try {
    const { numPassedTests, numFailedTests, success, testResults } = JSON.parse(readFileSync(report, 'utf8'))
    // A file that cannot be loaded has no tests, only a failed suite.
    const failed = Math.max(numFailedTests, success && status === 0 ? 0 : 1)
    return { passed: numPassedTests, failed, failedFiles: testResults.filter(isFailed).map(countOf) }
  } catch {
    return { passed: 0, failed: 1, failedFiles: [] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const isFailed = ({ status }) => status === 'failed'

function countOf({ name, assertionResults }) {
  return { name, passed: assertionResults.filter(({ status }) => status === 'passed').length }
}

/** As {@link runVitest}, but what fails is run once more. */
function runTwice(args) {
  const first = runVitest(args)
  if (first.failed === 0 || first.failedFiles.length === 0) return first
  const names = first.failedFiles.map(({ name }) => relative(process.cwd(), name))
  console.log(`${first.failed} failed; run a second time: ${names.join(', ')}`)
  const second = runVitest([...args, ...names])
  const kept = first.failedFiles.reduce((passed, file) => passed - file.passed, first.passed)
  return { ...second, passed: kept + second.passed }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2)
  const rest = args.filter((arg) => arg !== '--twice')
  const { passed, failed } = rest.length < args.length ? runTwice(rest) : runVitest(rest)
  console.log(`${passed} passed, ${failed} failed`)
  process.exit(failed === 0 ? 0 : 1)
}
