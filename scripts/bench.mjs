// `npm run bench`: every benchmark, or the ones that are named: status-messages, snapshots, start, agent, prints-list, g-code-upload, oauth, rest, detection, timelapse, serial-stream.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { build } from './build.mjs'
import { isBuilt } from './built.mjs'

const ALL = [
  'status-messages',
  'snapshots',
  'start',
  'agent',
  'prints-list',
  'g-code-upload',
  'oauth',
  'rest',
  'detection',
  'timelapse',
  'serial-stream',
]
const named = process.argv.slice(2)
const unknown = named.filter((name) => !ALL.includes(name))
if (unknown.length > 0) {
  console.error(`unknown benchmark: ${unknown.join(', ')}; there are ${ALL.join(', ')}`)
  process.exit(2)
}
if (!isBuilt() && !build()) process.exit(1)

let failed = 0
for (const name of named.length > 0 ? named : ALL) {
  console.log(`\n## ${name}\n`)
  const file = fileURLToPath(new URL(`../bench/${name}.ts`, import.meta.url))
  const { status } = spawnSync(process.execPath, ['--conditions=x-source', '--import', 'tsx', file], {
    stdio: 'inherit',
  })
  if (status !== 0) failed += 1
}
process.exit(failed === 0 ? 0 : 1)
