import { posix } from 'node:path'
import { parseSync } from 'oxc-parser'

// The rules of the house (who imports whom, where I/O, SQL and the environment may stand) as functions over one source file.
// Files are told apart by their path alone, so that a reader can tell from the name what a file may do.

/** One broken rule: where, and what to do instead. */
export interface Breach {
  readonly file: string
  readonly line: number
  readonly rule: string
}

interface Import {
  readonly from: string
  readonly line: number
  /** Whether nothing of it remains at run time. */
  readonly isType: boolean
}

/** What a file does that some rule is about. */
interface Facts {
  readonly imports: readonly Import[]
  /** Impure things it touches, such as `Date.now` or `process.env`, with their lines. */
  readonly touches: readonly { readonly what: string; readonly line: number }[]
}

/** Features of the server, in the order of who may import whom: a feature imports those before it. */
const FEATURES = [
  'users',
  'oauth',
  'prints',
  'printers',
  'jobs',
  'notifications',
  'detection',
  'timelapse',
  'g-code',
  'agents',
  'live',
  'assistant',
  'import',
  'admin',
]

/** Endings of file names in a feature that may do I/O. */
const EDGE_NAMES = /(^|-)(routes|socket|store|flow|job)$/

/** Files of the agent that may do I/O; `cameras/`, `cli/` and the hosts' own clients too. */
const AGENT_EDGE =
  /^(main|config|flow|uplink|host|client|tracker-file|frame-store|durable-file|outbox|g-code-download|json-file|log-output|system-clock|.+-flow|.+-client)$/

/** Built-in modules that only compute. */
const PURE_BUILT_INS = new Set(['node:buffer', 'node:path', 'node:path/posix', 'node:url', 'node:util', 'node:assert'])

/** Packages that do I/O by being used. */
const IO_PACKAGES = new Set([
  'ws',
  'axios',
  'fastify',
  'serialport',
  'sharp',
  '@julusian/jpeg-turbo',
  'onnxruntime-node',
  '@photostructure/sqlite',
  'pg',
  'ioredis',
])

const IMPURE_GLOBALS = new Set(['fetch', 'setTimeout', 'setInterval', 'setImmediate', 'performance', 'WebSocket'])
const RANDOM_CRYPTO = new Set(['randomUUID', 'randomBytes', 'randomInt', 'getRandomValues'])

/** Every rule over one file. `file` is the path from the repository's root, with slashes. */
export function breachesOf(file: string, source: string): Breach[] {
  const facts = factsOf(file, source)
  const rules = [
    entryNames,
    packageDirections,
    kitStandsAlone,
    featureOrder,
    pureFiles,
    sqlInStores,
    environmentInConfig,
  ]
  return rules.flatMap((rule) => rule(file, facts)).sort((a, b) => a.line - b.line)
}

type Rule = (file: string, facts: Facts) => Breach[]

const isTest = (file: string): boolean => /\.(test|contract)\.ts$|\/(testing|fake-[^/]*)\.ts$/.test(file)
const nameOf = (file: string): string => file.replace(/^.*\//, '').replace(/\.tsx?$/, '')
const packageOf = (file: string): string | undefined => /^packages\/([^/]+)\/src\//.exec(file)?.[1]
const featureOf = (file: string): string | undefined => {
  const folder = /^packages\/server\/src\/([^/]+)\//.exec(file)?.[1]
  return folder !== undefined && FEATURES.includes(folder) ? folder : undefined
}

const entryNames: Rule = (file) =>
  nameOf(file) === 'index' && !/^packages\/(protocol|sdk)\/src\/index\.ts$/.test(file)
    ? [{ file, line: 1, rule: 'only a package that others import has an index.ts: import the file you need' }]
    : []

/** Which of our packages each package may import, and which of them only as types. */
const MAY_IMPORT: Record<string, { readonly values: readonly string[]; readonly types: readonly string[] }> = {
  protocol: { values: [], types: [] },
  agent: { values: ['@printwarden/protocol'], types: [] },
  server: { values: ['@printwarden/protocol'], types: [] },
  sdk: { values: [], types: ['@printwarden/protocol'] },
  dashboard: { values: ['@printwarden/sdk'], types: ['@printwarden/protocol'] },
  test: { values: ['@printwarden/protocol', '@printwarden/sdk'], types: [] },
}

const OURS = /^(@printwarden\/[^/]+|printwarden-[^/]+)/

const packageDirections: Rule = (file, { imports }) => {
  const from = file.startsWith('test/') ? 'test' : packageOf(file)
  const allowed = from === undefined ? undefined : MAY_IMPORT[from]
  if (from === undefined || allowed === undefined) return []
  return imports.flatMap(({ from: target, line, isType }): Breach[] => {
    if (/(^|\/)\.\.\/.*packages\//.test(target) || (from !== 'test' && leavesPackage(file, target))) {
      return [{ file, line, rule: `"${target}" reaches into another package: import the package by its name` }]
    }
    const ours = OURS.exec(target)?.[1]
    if (ours === undefined || allowed.values.includes(ours)) return []
    if (allowed.types.includes(ours) && (isType || isTest(file))) return []
    const how = allowed.types.includes(ours) ? 'only import types of' : 'not import'
    return [{ file, line, rule: `${from} may ${how} ${ours}` }]
  })
}

function leavesPackage(file: string, target: string): boolean {
  if (!target.startsWith('.')) return false
  const depth = file.split('/').length - 3 // below packages/<name>/
  return (target.match(/\.\.\//g)?.length ?? 0) >= depth
}

/** What the conformance kit may import: it is packed alone, and must know nothing of the programs that it tests. */
const KIT_IMPORTS = /^(node:|#protocol$|#messages-folder$|zod$|ws$)/

const kitStandsAlone: Rule = (file, { imports }) => {
  const folder = 'test/conformance/src/'
  if (!file.startsWith(folder)) return []
  const depth = file.slice(folder.length).split('/').length - 1
  return imports
    .filter(({ from }) =>
      from.startsWith('.') ? (from.match(/\.\.\//g)?.length ?? 0) > depth : !KIT_IMPORTS.test(from),
    )
    .map(({ from, line }) => ({ file, line, rule: `the conformance kit stands alone: it may not import "${from}"` }))
}

/** The path from the repository's root of what a file imports; the name itself where that is a package. */
const resolved = (file: string, target: string): string =>
  target.startsWith('.') ? posix.join(posix.dirname(file), target) : target

const featureOrder: Rule = (file, { imports }) => {
  const feature = featureOf(file)
  if (feature === undefined || isTest(file)) return []
  return imports.flatMap(({ from, line, isType }): Breach[] => {
    const [, folder = '', name = ''] = /^packages\/server\/src\/([^/]+)\/(.+)\.js$/.exec(resolved(file, from)) ?? []
    if (folder === feature) return []
    if (folder === 'adapters' && !isType) return [{ file, line, rule: 'features know ports, never adapters' }]
    if (!FEATURES.includes(folder)) return []
    if (/(^|-)(routes|socket)$/.test(name)) {
      return [{ file, line, rule: `${feature} may not import another feature's routes or sockets` }]
    }
    if (/(^|-)view$/.test(name) || FEATURES.indexOf(folder) < FEATURES.indexOf(feature)) return []
    return [{ file, line, rule: `${feature} comes before ${folder}, so it may not import it` }]
  })
}

/** Whether the file may do I/O, by its name. */
function isEdge(file: string): boolean {
  if (isTest(file)) return true
  if (featureOf(file) !== undefined) return EDGE_NAMES.test(nameOf(file))
  const pkg = packageOf(file)
  if (pkg === 'protocol') return false
  if (pkg !== 'agent') return true
  if (file.startsWith('packages/agent/src/cli/')) return true
  if (file.startsWith('packages/agent/src/cameras/scene')) return false
  return file.startsWith('packages/agent/src/cameras/') || AGENT_EDGE.test(nameOf(file))
}

const pureFiles: Rule = (file, { imports, touches }) => {
  if (packageOf(file) === undefined || isEdge(file)) return []
  const why = 'in a pure file: hand it in, or move it to an edge file'
  const imported = imports
    .filter(({ from, isType }) => !isType && isIoModule(from))
    .map(({ from, line }) => ({ file, line, rule: `"${from}" ${why}` }))
  return [...imported, ...touches.map(({ what, line }) => ({ file, line, rule: `${what} ${why}` }))]
}

function isIoModule(from: string): boolean {
  if (from === 'node:crypto') return false // hashing computes; what draws random numbers is seen by its name
  return (from.startsWith('node:') && !PURE_BUILT_INS.has(from)) || IO_PACKAGES.has(from)
}

const sqlInStores: Rule = (file, { imports }) => {
  if (packageOf(file) !== 'server' || isTest(file)) return []
  if (/\/(adapters|migrations)\//.test(file) || /(^|-)store$/.test(nameOf(file))) return []
  return imports
    .filter(({ from, isType }) => from === 'kysely' && !isType)
    .map(({ line }) => ({ file, line, rule: 'SQL stands in stores, adapters and migrations alone' }))
}

const environmentInConfig: Rule = (file, { touches }) => {
  if (packageOf(file) === undefined || isTest(file) || nameOf(file) === 'config') return []
  return touches
    .filter(({ what }) => what === 'process.env')
    .map(({ line }) => ({ file, line, rule: 'only config.ts reads the environment' }))
}

/** Reads a source file's imports and the impure things it touches. */
function factsOf(file: string, source: string): Facts {
  const { program, module } = parseSync(file, source)
  const lineOf = (offset: number): number => source.slice(0, offset).split('\n').length
  const imports = module.staticImports.map((entry) => ({
    from: entry.moduleRequest.value,
    line: lineOf(entry.start),
    isType: entry.entries.length > 0 && entry.entries.every(({ isType }) => isType),
  }))
  const reExports = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, isType, start }) =>
      moduleRequest ? [{ from: moduleRequest.value, line: lineOf(start), isType }] : [],
    ),
  )
  const touches: { what: string; line: number }[] = []
  walk(program, (node) => {
    const what = impureThing(node)
    if (what !== undefined) touches.push({ what, line: lineOf(node.start) })
  })
  return { imports: [...imports, ...reExports], touches }
}

interface Node {
  readonly type: string
  readonly start: number
  readonly [key: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, visit)
    return
  }
  if (!isNode(value)) return
  visit(value)
  for (const child of Object.values(value)) if (typeof child === 'object') walk(child, visit)
}

const identifier = (node: unknown): string | undefined =>
  isNode(node) && node.type === 'Identifier' && typeof node['name'] === 'string' ? node['name'] : undefined

/** The name of the impure thing that a node uses, if it uses one. */
function impureThing(node: Node): string | undefined {
  if (node.type === 'MemberExpression') return impureMember(identifier(node['object']), identifier(node['property']))
  if (node.type === 'NewExpression') {
    const noArguments = Array.isArray(node['arguments']) && node['arguments'].length === 0
    const name = identifier(node['callee'])
    if (name === 'Date' && noArguments) return 'new Date()'
    return name === 'WebSocket' ? name : undefined
  }
  if (node.type !== 'CallExpression') return undefined
  const name = identifier(node['callee'])
  if (name === undefined) return undefined
  return IMPURE_GLOBALS.has(name) || RANDOM_CRYPTO.has(name) ? name : undefined
}

function impureMember(object: string | undefined, property: string | undefined): string | undefined {
  if (object === undefined || property === undefined) return undefined
  if (object === 'process') return property === 'env' ? 'process.env' : `process.${property}`
  if (object === 'performance') return `performance.${property}`
  if (object === 'Date' && property === 'now') return 'Date.now'
  if (object === 'Math' && property === 'random') return 'Math.random'
  return RANDOM_CRYPTO.has(property) ? `${object}.${property}` : undefined
}
