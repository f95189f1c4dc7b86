// `npm test`: the rules of the house, types, lint and format, then every test that needs nothing but Node. Each check counts as one
// test. Ends with the line "N passed, N failed". Arguments (a file, `-t name`) run only these tests.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { runVitest } from './vitest-count.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const bin = (name) => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url))

const CHECKS = [
  ['boundaries', bin('tsx'), ['scripts/check-boundaries.ts']],
  ['types', bin('tsc'), ['-b']],
  ['lint', bin('oxlint'), ['--type-aware', '--quiet']],
  ['format', bin('biome'), ['format', '.']],
]

function runCheck([name, command, args]) {
  const started = Date.now()
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  })
  const passed = status === 0
  console.log(`${passed ? '✓' : '✗'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`)
  if (!passed) console.log(`${stdout ?? ''}${stderr ?? ''}`)
  return passed
}

const only = process.argv.slice(2)
const checks = only.length > 0 ? [] : CHECKS.map(runCheck)
const tests = runVitest(only)
const passed = tests.passed + checks.filter(Boolean).length
const failed = tests.failed + checks.filter((ok) => !ok).length
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
