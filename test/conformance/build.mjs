// Compiles the kit and puts the protocol and the fixtures into `dist`, so that the packed kit runs anywhere by itself.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))

const { status, error } = spawnSync(process.execPath, [at('../../node_modules/typescript/bin/tsc'), '-b', at('.')], {
  stdio: 'inherit',
})
if (status !== 0) {
  if (error) console.error(error.message)
  process.exit(status ?? 1)
}

/** Replaces a folder of `dist`; what was removed at its source must not stay. */
function copy(from, to, filter = () => true) {
  rmSync(at(to), { recursive: true, force: true })
  cpSync(at(from), at(to), { recursive: true, filter })
}

copy('../../packages/protocol/dist/', 'dist/protocol/', (file) => !/\.(d\.ts|map|tsbuildinfo)$|\.test\.js$/.test(file))
copy('../fixtures/messages/', 'dist/messages/')
chmodSync(at('dist/main.js'), 0o755)
