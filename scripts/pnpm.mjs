// Runs pnpm for this workspace with Node and npm alone: the pnpm on PATH when its major version fits, else the pinned one
// through npx. `--ensure` installs from the lock file when node_modules is missing or older than it.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'

const root = new URL('../', import.meta.url)
const pinned = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')).packageManager.split('+')[0]
const wantedMajor = pinned.split('@')[1].split('.')[0]

const run = (command, args, options = {}) =>
  spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32', ...options })

function pnpm(args) {
  // Asked outside the workspace: inside it a pnpm of another version would refuse to answer.
  const onPath = run('pnpm', ['--version'], { stdio: 'pipe', encoding: 'utf8', cwd: undefined })
  const fits = onPath.status === 0 && onPath.stdout.trim().split('.')[0] === wantedMajor
  const result = fits ? run('pnpm', args) : run('npx', ['--yes', pinned, ...args])
  if (result.error) {
    console.error(`could not run pnpm: ${result.error.message}`)
    process.exit(1)
  }
  if (result.status !== 0) process.exit(result.status ?? 1)
}

const args = process.argv.slice(2)
if (args[0] === '--ensure') {
  const installed = new URL('node_modules/.modules.yaml', root)
  const lock = new URL('pnpm-lock.yaml', root)
  const stale = !existsSync(installed) || statSync(lock).mtimeMs > statSync(installed).mtimeMs
  if (stale) pnpm(['install', '--frozen-lockfile', '--reporter=append-only'])
} else {
  pnpm(args)
}
