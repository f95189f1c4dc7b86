// Makes the server's program out of its sources: `packages/server/dist`, a few files where there are hundreds of modules, since reading
// each module costs time and memory at every start. The compiler only checks the server's types.
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const SERVER = new URL('../packages/server/', import.meta.url)
const at = (path) => fileURLToPath(new URL(path, SERVER))

/**
 * Libraries that become a part of the program, being many small modules of plain JavaScript. zod stays a dependency beside it, for `ai` wants one; the
 * others are none of the published package's.
 */
const WITHIN = ['@printwarden/protocol', 'kysely', 'zod']

/** What the dashboard has within, which the published package serves. */
const DASHBOARD = ['@preact/signals', 'preact', 'uplot']

/** Builds the program. @throws what esbuild found wrong */
export async function bundleServer() {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(at('package.json'), 'utf8'))
  const workers = readdirSync(at('src/adapters')).filter((name) => name.endsWith('-worker.ts'))
  rmSync(at('dist'), { recursive: true, force: true })
  await build({
    absWorkingDir: at('.'),
    entryPoints: ['src/main.ts', ...workers.map((name) => `src/adapters/${name}`)],
    outdir: 'dist',
    // All in one folder: `package-files.ts` and `worker-thread.ts` find what lies beside them, in whichever file they end up.
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    conditions: ['x-source'],
    external: Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => !WITHIN.includes(name)),
    legalComments: 'inline',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
  })
  chmodSync(at('dist/main.js'), 0o755)
  const folders = [
    ...WITHIN.map((name) => `node_modules/${name}/`),
    ...DASHBOARD.map((name) => `../dashboard/node_modules/${name}/`),
  ]
  writeFileSync(at('dist/LICENSES.txt'), folders.map(licenceOf).join('\n'))
}

/** The licences of others ask to go wherever their code goes. */
function licenceOf(path) {
  const folder = at(path)
  const { name, version } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'))
  const own = existsSync(`${folder}LICENSE`)
    ? `${folder}LICENSE`
    : fileURLToPath(new URL('../LICENSE', import.meta.url))
  return `${name} ${version}\n\n${readFileSync(own, 'utf8')}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleServer()
