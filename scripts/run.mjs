// Runs one of our programs from the repository: `npm run server -- …`, `npm run agent -- …`. The built program when there is one that
// is not older than its sources, else straight from the sources. Relative paths mean the folder the user stands in (INIT_CWD).
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isBuilt } from './built.mjs'

const [name, ...args] = process.argv.slice(2)
if (name !== 'server' && name !== 'agent') {
  console.error('usage: run.mjs server|agent [arguments]')
  process.exit(2)
}

const file = (path) => fileURLToPath(new URL(`../packages/${name}/${path}`, import.meta.url))
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
const program = isBuilt() ? [file('dist/main.js')] : ['--conditions=x-source', '--import', tsx, file('src/main.ts')]
const child = spawn(process.execPath, [...program, ...args], { stdio: 'inherit', cwd: process.env.INIT_CWD })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
