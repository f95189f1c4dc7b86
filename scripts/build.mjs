// `npm run build`: compiles the packages and builds the dashboard, and says how far it is.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { markBuilt } from './built.mjs'

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

const STEPS = [
  {
    title: 'compiling protocol, agent and SDK',
    command: at('node_modules/.bin/tsc'),
    args: ['-b', 'packages/protocol', 'packages/agent', 'packages/sdk'],
    cwd: at(''),
  },
  {
    title: 'bundling the server',
    command: process.execPath,
    args: [at('scripts/bundle-server.mjs')],
    cwd: at(''),
  },
  {
    title: 'building the conformance kit',
    command: process.execPath,
    args: [at('test/conformance/build.mjs')],
    cwd: at(''),
  },
  {
    title: 'building the dashboard',
    command: at('packages/dashboard/node_modules/.bin/vite'),
    args: ['build', '--logLevel', 'warn'],
    cwd: at('packages/dashboard'),
  },
]

/** Builds everything; false when a step failed, which has then said why. */
export function build() {
  for (const { title, command, args, cwd } of STEPS) {
    const started = Date.now()
    process.stdout.write(`${title} … `)
    const { status, stdout, stderr, error } = spawnSync(command, args, {
      cwd,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    })
    if (status !== 0) {
      console.log('failed')
      console.error(`${stdout ?? ''}${stderr ?? ''}${error ?? ''}`)
      return false
    }
    console.log(`${((Date.now() - started) / 1000).toFixed(1)} s`)
  }
  markBuilt()
  return true
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exit(build() ? 0 : 1)
