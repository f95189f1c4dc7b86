// Runs vitest and ends with the line "N passed, N failed", which vitest itself does not print. Arguments go to vitest.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Runs vitest and counts; a run that breaks off counts as one failure. */
export function runVitest(args) {
  const folder = mkdtempSync(join(tmpdir(), 'printwarden-vitest-'))
  const report = join(folder, 'report.json')
  const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
  const options = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { status } = spawnSync(process.execPath, [vitest, ...options, ...args], { stdio: 'inherit' })
  try {
    const { numPassedTests, numFailedTests, numFailedTestSuites, success } = JSON.parse(readFileSync(report, 'utf8'))
    // A file that cannot be loaded has no tests, only a failed suite.
    const failed = Math.max(numFailedTests, success && status === 0 ? 0 : Math.max(1, numFailedTestSuites > 0 ? 1 : 0))
    return { passed: numPassedTests, failed }
  } catch {
    return { passed: 0, failed: 1 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { passed, failed } = runVitest(process.argv.slice(2))
  console.log(`${passed} passed, ${failed} failed`)
  process.exit(failed === 0 ? 0 : 1)
}
