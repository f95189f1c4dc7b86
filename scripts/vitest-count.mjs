// Runs vitest and ends with the line "N passed, N failed", which vitest itself does not print. Arguments go to vitest.
//
// Files that fail are run a second time, which counts: most tests here wait for sockets, processes and disks, and a machine that is
// busy with something else is not a fault of theirs. What failed is named at the end, each time with a line that begins with "failed".
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Runs vitest once and counts; a run that breaks off counts as one failure. */
function runOnce(args) {
  const folder = mkdtempSync(join(tmpdir(), 'printwarden-vitest-'))
  const report = join(folder, 'report.json')
  const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
  const options = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { status } = spawnSync(process.execPath, [vitest, ...options, ...args], { stdio: 'inherit' })
  try {
    const { numPassedTests, numFailedTests, success, testResults } = JSON.parse(readFileSync(report, 'utf8'))
    // A file that cannot be loaded has no tests, only a failed suite.
    const failed = Math.max(numFailedTests, success && status === 0 ? 0 : 1)
    return { passed: numPassedTests, failed, failedFiles: testResults.filter(isFailed).map(namesOf) }
  } catch {
    return { passed: 0, failed: 1, failedFiles: [] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const isFailed = ({ status }) => status === 'failed'

function namesOf({ name, assertionResults }) {
  const file = relative(process.cwd(), name)
  const tests = assertionResults.filter(isFailed).map(({ fullName }) => `${file} > ${fullName}`)
  return {
    file,
    passed: assertionResults.filter(({ status }) => status === 'passed').length,
    failedTests: tests.length > 0 ? tests : [file],
  }
}

const tell = (label, { failedFiles }) => {
  for (const test of failedFiles.flatMap(({ failedTests }) => failedTests)) console.log(`${label}: ${test}`)
}

/** Runs vitest and counts; of a whole suite, what fails is run once more. Who names files or tests wants to see them fail. */
export function runVitest(args) {
  const first = runOnce(args)
  const wholeSuite = args.length === 0 || (args.length === 2 && args[0] === '--config')
  if (first.failedFiles.length === 0) return first
  if (!wholeSuite) {
    tell('failed', first)
    return first
  }
  const files = first.failedFiles.map(({ file }) => file)
  console.log(`${first.failed} failed; run a second time: ${files.join(', ')}`)
  const second = runOnce([...args, ...files])
  tell('failed the first time', first)
  tell('failed twice', second)
  const kept = first.failedFiles.reduce((passed, file) => passed - file.passed, first.passed)
  return { passed: kept + second.passed, failed: second.failed }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { passed, failed } = runVitest(process.argv.slice(2))
  console.log(`${passed} passed, ${failed} failed`)
  process.exit(failed === 0 ? 0 : 1)
}
