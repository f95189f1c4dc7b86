import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

// The agent belongs on small computers with an arm64 processor, where nothing can be compiled: whatever of its dependencies has
// compiled parts must bring them for arm64. The lock file names every package that is installed, for whichever machine.

const ROOT = new URL('../', import.meta.url)
const lock = readFileSync(new URL('pnpm-lock.yaml', ROOT), 'utf8')

interface Locked {
  readonly name: string
  readonly cpu: readonly string[]
  readonly os: readonly string[]
  readonly libc: readonly string[]
  readonly needs: readonly string[]
}

/** A list of the lock file's, such as `cpu: [arm64, x64]`. */
function listOf(block: string, key: string): string[] {
  const inline = new RegExp(`^    ${key}: \\[([^\\]]*)\\]`, 'm').exec(block)?.[1]
  return inline === undefined ? [] : inline.split(',').map((word) => word.trim())
}

/** The blocks below a heading, each with what stands in its first line. */
function blocksOf(heading: string): Map<string, string> {
  const from = lock.indexOf(`\n${heading}:\n`)
  const rest = lock.slice(from + heading.length + 3)
  const section = rest.slice(0, /\n\S/.exec(rest)?.index ?? rest.length)
  const blocks = section.split(/\n(?= {2}\S)/).map((block) => block.replace(/^\n+/, ''))
  return new Map(blocks.map((block) => [/^ {2}'?(.+?)'?:/.exec(block)?.[1] ?? '', block] as const))
}

/** Every package that the agent may bring with it, optional ones for other machines too. */
function agentPackages(): Locked[] {
  const packages = blocksOf('packages')
  const snapshots = blocksOf('snapshots')
  const importer = blocksOf('importers').get('packages/agent') ?? ''
  const production = importer.slice(importer.indexOf('dependencies:'), importer.indexOf('devDependencies:'))
  const wanted = [...production.matchAll(/^ {6}'?([^\s']+)'?:\n {8}specifier: .*\n {8}version: (\S+)/gm)]
    .filter(([, , version = '']) => !version.startsWith('link:'))
    .map(([, name = '', version = '']) => `${name}@${version}`)
  const seen = new Map<string, Locked>()
  for (let id = wanted.pop(); id !== undefined; id = wanted.pop()) {
    if (seen.has(id)) continue
    const snapshot = snapshots.get(id)
    const block = packages.get(id.replace(/\(.*$/, ''))
    if (snapshot === undefined || block === undefined) throw new Error(`${id} is not in the lock file`)
    const needs = [...snapshot.matchAll(/^ {6}'?([^\s']+)'?: '?([^\s']+)'?$/gm)].map(
      ([, name = '', version = '']) => `${name}@${version}`,
    )
    wanted.push(...needs)
    seen.set(id, { name: id, cpu: listOf(block, 'cpu'), os: listOf(block, 'os'), libc: listOf(block, 'libc'), needs })
  }
  return [...seen.values()]
}

const all = agentPackages()
const bareName = ({ name }: Locked): string => name.replace(/\(.*$/, '').replace(/@[^@]+$/, '')

test("the lock file names the agent's packages", () => {
  const names = all.map(bareName)
  expect(names).toEqual(expect.arrayContaining(['sharp', 'serialport', '@serialport/bindings-cpp', 'ws', 'pino']))
  expect(names.length).toBeGreaterThan(40)
})

test('what comes in a package for each kind of machine comes for arm64', () => {
  const families = new Map<string, Locked[]>()
  for (const one of all.filter(({ cpu, os }) => cpu.length > 0 && os.includes('linux'))) {
    const family = one.name.replace(/-linux.*$/, '')
    families.set(family, [...(families.get(family) ?? []), one])
  }
  expect([...families.keys()].sort()).toEqual(['@img/sharp', '@img/sharp-libvips'])
  for (const members of families.values()) {
    const arm = members.filter(({ cpu }) => cpu.includes('arm64'))
    expect(arm.map(({ libc }) => libc.join()).sort()).toEqual(['glibc', 'musl'])
  }
})

test('what brings compiled parts inside brings them for arm64', () => {
  const require = createRequire(new URL('packages/agent/package.json', ROOT))
  const fromSerialport = createRequire(realpathSync(require.resolve('serialport')))
  const bindings = dirname(dirname(realpathSync(fromSerialport.resolve('@serialport/bindings-cpp'))))
  const prebuilds = readdirSync(join(bindings, 'prebuilds'))
  expect(prebuilds).toEqual(expect.arrayContaining(['linux-arm64', 'linux-x64', 'darwin-x64+arm64']))
  const files = readdirSync(join(bindings, 'prebuilds/linux-arm64'))
  expect(files).toEqual(expect.arrayContaining([expect.stringContaining('glibc'), expect.stringContaining('musl')]))
})

test('what reads the pictures that the server is sent is there for small computers and for large ones', () => {
  const require = createRequire(new URL('packages/server/package.json', ROOT))
  const folder = dirname(realpathSync(require.resolve('@julusian/jpeg-turbo')))
  const prebuilds = readdirSync(join(folder, 'prebuilds'))
  expect(prebuilds).toEqual(expect.arrayContaining(['jpeg-turbo-linux-arm64', 'jpeg-turbo-linux-x64']))
})

test('no other package of the agent compiles anything when it is installed', () => {
  const workspace = readFileSync(new URL('pnpm-workspace.yaml', ROOT), 'utf8')
  const scripted = [...workspace.matchAll(/^ {2}"?([^\s":]+)"?: false$/gm)].map(([, name]) => name)
  const ours = all.map(bareName).filter((name) => scripted.includes(name))
  // Both have what they need without their scripts: the first its prebuilt files, the second nothing but a program of the system.
  expect(ours.sort()).toEqual(['@serialport/bindings-cpp', 'node-webcam'])
})
