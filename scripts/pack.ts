import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

// Makes the tarballs that are published. npm knows neither "workspace:" versions nor "publishConfig.exports", so each package is laid
// out in a folder of its own first. Tests, source maps (their sources stay behind) and the condition of our own sources stay behind too.
//
//   npx tsx scripts/pack.ts <folder>      after `npm run build`

const ROOT = fileURLToPath(new URL('../', import.meta.url))

/** The server's package has the built dashboard within; in the repository it lies in a package of its own. */
const DASHBOARD = 'dashboard'

/** The packages that others install. */
export const PUBLISHED = ['protocol', 'sdk', 'agent', 'server'] as const
export type Published = (typeof PUBLISHED)[number]

const Manifest = z.looseObject({
  name: z.string(),
  version: z.string(),
  files: z.array(z.string()),
  dependencies: z.record(z.string(), z.string()).optional(),
})

const readManifest = (name: string): z.infer<typeof Manifest> =>
  Manifest.parse(JSON.parse(readFileSync(`${ROOT}packages/${name}/package.json`, 'utf8')))

/** The manifest as it is published. */
export function publishedManifest(manifest: z.infer<typeof Manifest>, versions: ReadonlyMap<string, string>): unknown {
  const { publishConfig: _config, devDependencies: _dev, scripts: _scripts, ...rest } = manifest
  const dependencies = Object.entries(manifest.dependencies ?? {}).map(([name, version]) => {
    const ours = versions.get(name)
    if (version.startsWith('workspace:') && ours === undefined) throw new Error(`${name} is not published`)
    return [name, version.startsWith('workspace:') ? ours : version] as const
  })
  return withoutSource({ ...rest, publishConfig: { access: 'public' }, dependencies: Object.fromEntries(dependencies) })
}

/** Without the conditions that lead to sources, which are not in the tarball. */
function withoutSource(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSource)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => key !== 'x-source')
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutSource(one)]))
}

const isLeftBehind = (path: string): boolean =>
  /\.(test|contract)\.(js|d\.ts)$|\.map$|\.tsbuildinfo$|\.built$|\/scripted-server\.|\/(?!sdk\/)[^/]+\/dist\/(.*\/)?testing\./.test(
    path,
  )

/** Packs one package and gives the path of its tarball. */
export function packPackage(name: Published, folder: string): string {
  const versions = new Map(PUBLISHED.map((one) => [readManifest(one).name, readManifest(one).version]))
  const manifest = readManifest(name)
  const stage = `${folder}/stage-${name}`
  mkdirSync(stage, { recursive: true })
  for (const path of manifest.files) {
    const from = path === DASHBOARD ? `${ROOT}packages/dashboard/dist` : `${ROOT}packages/${name}/${path}`
    if (!existsSync(from)) throw new Error(`${from} is missing: build first`)
    cpSync(from, `${stage}/${path}`, { recursive: true, filter: (source) => !isLeftBehind(source) })
  }
  withoutMapComments(stage)
  writeFileSync(`${stage}/package.json`, `${JSON.stringify(publishedManifest(manifest, versions), null, 2)}\n`)
  cpSync(`${ROOT}LICENSE`, `${stage}/LICENSE`)
  if (existsSync(`${ROOT}packages/${name}/README.md`)) cpSync(`${ROOT}packages/${name}/README.md`, `${stage}/README.md`)
  const args = ['pack', stage, '--pack-destination', folder, '--json', '--ignore-scripts', '--offline']
  const [packed] = z
    .array(z.object({ filename: z.string() }))
    .parse(
      JSON.parse(execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })),
    )
  rmSync(stage, { recursive: true })
  return `${folder}/${packed?.filename.replace('@', '').replace('/', '-') ?? ''}`
}

/** A comment that names a map which is not there makes tools complain. */
function withoutMapComments(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(js|d\.ts)$/.test(entry)) continue
    const file = `${folder}/${entry}`
    writeFileSync(file, readFileSync(file, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'))
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2]
  if (folder === undefined) throw new Error('Say into which folder.')
  mkdirSync(folder, { recursive: true })
  for (const name of PUBLISHED) console.log(packPackage(name, folder))
}
