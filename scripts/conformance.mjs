// `npm run conformance -- --target target.json`: the conformance kit against any server. Relative paths mean the folder the user
// stands in (INIT_CWD).
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

const main = fileURLToPath(new URL('../test/conformance/src/main.ts', import.meta.url))
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
const args = ['--conditions=x-source', '--import', tsx, main, ...process.argv.slice(2)]
const child = spawn(process.execPath, args, { stdio: 'inherit', cwd: process.env.INIT_CWD })
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
