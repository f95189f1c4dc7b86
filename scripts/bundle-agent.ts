// The agent as one file that Node runs, for a release that Moonraker can take: `npx tsx scripts/bundle-agent.ts FOLDER [--repo OWNER/NAME]`.
// What has compiled parts stays outside: sharp (pictures that are turned or made smaller), serialport (printers on a serial line) and
// node-webcam (USB cameras). Node looks for them in the node_modules folder beside the file: `npm install` there gets them; without
// them everything else works.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { z } from 'zod'
import { zipOf } from './zip.js'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const NAME = 'printwarden-agent'

const Versions = z.record(z.string(), z.string())
const Manifest = z.object({
  version: z.string(),
  license: z.string(),
  engines: Versions,
  dependencies: Versions,
  optionalDependencies: Versions.optional(),
})

/** Packages with compiled parts, or none that a file could hold. */
const OUTSIDE = ['sharp', 'serialport', 'node-webcam']

/** Packages in the old form ask for others by `require`, which modules do not have. */
const BANNER = `import { createRequire as printwardenRequire } from 'node:module'
const require = printwardenRequire(import.meta.url)
const printwardenOutside = require`

/**
 * Leaves those packages outside, and asks for each only when the code that needs it is reached: an import that stays at the top
 * of the file would stop the whole program where the package is missing.
 */
const leaveOutside: Plugin = {
  name: 'leave-outside',
  setup(bundler) {
    const filter = new RegExp(`^(${OUTSIDE.join('|')})$`)
    bundler.onResolve({ filter }, ({ path }) => ({ path, namespace: 'outside' }))
    bundler.onLoad({ filter: /./, namespace: 'outside' }, ({ path }) => ({
      contents: `module.exports = printwardenOutside(${JSON.stringify(path)})`,
    }))
  },
}

/** Writes the release into a folder. */
export async function bundleAgent(folder: string, repository: string | undefined): Promise<void> {
  const manifest = Manifest.parse(JSON.parse(readFileSync(`${ROOT}packages/agent/package.json`, 'utf8')))
  const { version, engines, dependencies, optionalDependencies, license } = manifest
  mkdirSync(folder, { recursive: true })
  await build({
    entryPoints: [`${ROOT}packages/agent/src/main.ts`],
    outfile: `${folder}/${NAME}.mjs`,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['x-source'],
    plugins: [leaveOutside],
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    banner: { js: BANNER },
    define: { PRINTWARDEN_AGENT_VERSION: JSON.stringify(version) },
    logLevel: 'error',
  })
  const all: Record<string, string> = { ...dependencies, ...optionalDependencies }
  const outside = Object.fromEntries(OUTSIDE.filter((name) => name in all).map((name) => [name, all[name]]))
  const release = {
    name: NAME,
    version,
    license,
    type: 'module',
    engines,
    private: true,
    optionalDependencies: outside,
  }
  writeFileSync(`${folder}/package.json`, `${JSON.stringify(release, null, 2)}\n`)
  writeFileSync(`${folder}/version`, `${version}\n`)
  const files = [`${NAME}.mjs`, 'package.json', 'version']
  if (repository !== undefined) {
    writeFileSync(`${folder}/release_info.json`, releaseInfo(repository, version))
    files.push('release_info.json')
  }
  // Under the name that releases have; Moonraker unpacks it over the folder of the program.
  const entries = files.map((name) => ({ name, bytes: readFileSync(join(folder, name)) }))
  writeFileSync(`${folder}/${NAME}.zip`, zipOf(entries))
}

/** What Moonraker reads to know which release is there. */
function releaseInfo(repository: string, version: string): string {
  const [project_owner, project_name] = repository.split('/')
  const info = { project_name, project_owner, version: `v${version}`, asset_name: `${NAME}.zip` }
  return `${JSON.stringify(info)}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, flag, repository] = process.argv.slice(2)
  const isRight =
    folder !== undefined && (flag === undefined || (flag === '--repo' && /^[\w.-]+\/[\w.-]+$/.test(repository ?? '')))
  if (!isRight) {
    console.error('usage: bundle-agent.ts FOLDER [--repo OWNER/NAME]')
    process.exit(2)
  }
  await bundleAgent(folder, repository)
  console.log(`${folder}/${NAME}.mjs`)
}
