// `npm run bench -- …`: runs bench/main.ts, which says what there is and builds what it measures.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../bench/main.ts', import.meta.url))
const args = ['--conditions=x-source', '--import', 'tsx', main, ...process.argv.slice(2)]
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
process.exit(status ?? 1)
