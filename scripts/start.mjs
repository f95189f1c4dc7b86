// `npm start`: builds when something changed, then runs the server. `npm start -- --demo` runs the demonstration instead. Other
// arguments go to the server.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { build } from './build.mjs'
import { isBuilt } from './built.mjs'

if (!isBuilt() && !build()) process.exit(1)

const args = process.argv.slice(2)
if (args.includes('--demo')) {
  const { runDemo } = await import('./demo.mjs')
  await runDemo(args.filter((argument) => argument !== '--demo'))
} else {
  const main = fileURLToPath(new URL('../packages/server/dist/main.js', import.meta.url))
  const server = spawn(process.execPath, [main, ...args], { stdio: 'inherit', cwd: process.env.INIT_CWD })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal))
  server.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}
