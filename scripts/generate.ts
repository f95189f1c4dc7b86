import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  AgentCommand,
  CommandAck,
  type Endpoint,
  endpoints,
  LiveMessage,
  LiveRequest,
  ServerToAgent,
  StatusMessage,
} from '@printwarden/protocol'
import { z } from 'zod'
import { NO_EFFECT_YET, VARIABLES } from '../packages/server/src/config-schema.js'
import { authorizationPage } from '../packages/server/src/http/authorization-page.js'
import { limitsPage } from '../packages/server/src/limits/limits-page.js'
import { openApiDocument } from '../packages/server/src/http/openapi.js'
import { sdkMethodsSource } from './sdk-methods.js'

// `npm run generate`: writes what comes from the protocol. `--check` writes nothing and fails when something is stale.

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const isCheck = process.argv.includes('--check')
const stale: string[] = []

function write(path: string, content: string): void {
  const file = `${ROOT}${path}`
  if (!isCheck) {
    writeFileSync(file, content)
    return
  }
  let current = ''
  try {
    current = readFileSync(file, 'utf8')
  } catch {
    // A file that is missing is stale too.
  }
  if (current !== content) stale.push(path)
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const all: Readonly<Record<string, Endpoint>> = endpoints
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(`${ROOT}packages/server/package.json`, 'utf8')))

if (!isCheck) mkdirSync(`${ROOT}packages/protocol/json-schema`, { recursive: true })
const SCHEMAS = { StatusMessage, ServerToAgent, AgentCommand, CommandAck, LiveRequest, LiveMessage }
for (const [name, schema] of Object.entries(SCHEMAS)) {
  const kebab = name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()
  write(`packages/protocol/json-schema/${kebab}.schema.json`, json(z.toJSONSchema(schema, { io: 'input' })))
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
write(
  'docs/configuration.md',
  `# Configuration of the server

Made by \`npm run generate\` from the schema that reads it, so it is complete. Everything is optional. A \`.env\` file in the folder you stand in is
read too; \`--env-file\` names another one; the environment wins. Unknown \`PRINTWARDEN_\` names and bad values stop the start, with
every problem listed.

${[
  row(['variable', 'default', 'meaning']),
  '|---|---|---|',
  ...Object.entries(VARIABLES).map(([name, variable]) =>
    row([`\`PRINTWARDEN_${name}\``, variable.default, variable.meaning.replaceAll('|', '\\|')]),
  ),
].join('\n')}

Without effect in this version, and warned about: ${NO_EFFECT_YET.map((name) => `\`${name}\``).join(', ')}.
`,
)

write('docs/authorization.md', authorizationPage(Object.values(all)))
write('docs/limits.md', limitsPage())

const openapi = json(openApiDocument(all, version))
write('packages/sdk/openapi.json', openapi)
write('packages/sdk/src/methods.ts', sdkMethodsSource(all))

// openapi-typescript needs the compiler's old programming interface, which only the SDK has installed.
const generator = `${ROOT}packages/sdk/node_modules/.bin/openapi-typescript`
const types = execFileSync(generator, [], {
  input: openapi,
  encoding: 'utf8',
  cwd: `${ROOT}packages/sdk`,
  stdio: ['pipe', 'pipe', 'ignore'],
})
write('packages/sdk/src/schema.ts', types)

if (stale.length > 0) {
  console.error(`stale, run "npm run generate":\n${stale.map((path) => `  ${path}`).join('\n')}`)
  process.exitCode = 1
}
