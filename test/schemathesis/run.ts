import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { ADMIN, ROOT, runServerCommand, startServer, temporaryFolder } from '../support/processes.js'

// Schemathesis against a running server, from the document that the server itself serves. Ends with "N passed, N failed", where what
// passes is a generated case. `PRINTWARDEN_TEST_BUILT=1` takes the built server. Further arguments go to Schemathesis.

const HERE = join(ROOT, 'test/schemathesis')
const VENV = join(homedir(), '.cache/printwarden/schemathesis')

const NO_LIMITS = ['user_requests', 'agent_requests', 'address_requests', 'address_unknown_credentials']
  .map((name) => `${name}=1000000/1000000`)
  .join(',')

/** Fewer would not reach every operation with enough variety. */
const LEAST_CASES = 3000

function run(command: string, args: readonly string[], env: Record<string, string> = {}, cwd = HERE): number {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit', env: { ...process.env, ...env } })
  return status ?? 1
}

/** The pinned version, in a folder of its own that is kept between runs. */
function install(): void {
  const wanted = readFileSync(join(HERE, 'requirements.txt'), 'utf8').trim()
  const pip = join(VENV, 'bin/pip')
  const isThere = existsSync(pip) && spawnSync(pip, ['freeze'], { encoding: 'utf8' }).stdout.includes(wanted)
  if (isThere) return
  if (run('python3', ['-m', 'venv', VENV]) !== 0) throw new Error('no virtual environment could be made')
  if (run(pip, ['install', '--quiet', '--disable-pip-version-check', '-r', join(HERE, 'requirements.txt')]) !== 0) {
    throw new Error('Schemathesis could not be installed')
  }
}

/** What an administration command prints as JSON. */
async function administer(url: string, args: readonly string[]): Promise<Record<string, unknown>> {
  return JSON.parse(await runServerCommand(url, [...args, '--json'])) as Record<string, unknown>
}

/** A browser's session: the value of its cookie. */
async function signIn(url: string): Promise<string> {
  const form = await fetch(`${url}/login/`)
  const [, formToken = ''] = /name="form_token" value="([^"]+)"/.exec(await form.text()) ?? []
  const cookie = form.headers
    .getSetCookie()
    .map((one) => one.split(';', 1)[0])
    .join('; ')
  const { email, password } = ADMIN
  const answer = await fetch(`${url}/login/`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, origin: url },
    body: new URLSearchParams({ email, password, form_token: formToken, next: '/' }),
  })
  const session = answer.headers.getSetCookie().find((one) => one.includes('session='))
  if (session === undefined) throw new Error(`signing in was answered with ${answer.status}`)
  return session.slice(session.indexOf('=') + 1, session.indexOf(';'))
}

/** What Schemathesis says about its run. */
interface Report {
  readonly complete: boolean
  readonly operations: { readonly selected: number; readonly tested: number }
  readonly test_cases: Readonly<Record<'generated' | 'with_failures' | 'without_checks' | 'errored', number>>
}

/** A run that ended early, or tried too little, has failed too. */
function summarize(path: string): void {
  const { complete, operations, test_cases: cases } = JSON.parse(readFileSync(path, 'utf8')) as Report
  const checked = cases.generated - cases.without_checks
  const problems = [
    ...(complete ? [] : ['the run did not end by itself']),
    ...(operations.tested === operations.selected ? [] : [`${operations.tested} of ${operations.selected} operations`]),
    ...(checked >= LEAST_CASES ? [] : [`only ${checked} cases were checked; at least ${LEAST_CASES} are wanted`]),
  ]
  for (const problem of problems) console.error(problem)
  const failed = cases.with_failures + cases.errored + problems.length
  console.log(`${operations.tested} operations, ${cases.generated} generated cases, ${checked} checked`)
  console.log(`${checked - cases.with_failures - cases.errored} passed, ${failed} failed`)
  if (failed > 0) process.exitCode = 1
}

install()
const folder = await temporaryFolder()
const server = await startServer({
  dataDir: join(folder.path, 'data'),
  // What is to be tested here is more than that somebody who asks so much is refused.
  env: { PRINTWARDEN_LOG_LEVEL: 'warn', PRINTWARDEN_LIMITS: NO_LIMITS },
})
try {
  const { url } = server
  await runServerCommand(url, ['seed', '--target', join(folder.path, 'target.json')])
  const other = await administer(url, ['user', 'add', 'other@example.test', '--password', 'not-to-be-guessed'])
  const printer = await administer(url, ['printer', 'add', '--user', ADMIN.email, '--name', 'Left'])
  const token = await administer(url, ['token', 'issue', '--user', ADMIN.email, '--scope', 'read write'])
  const report = join(folder.path, 'report.json')
  const config = join(HERE, 'schemathesis.toml')
  const env = {
    PRINTWARDEN_TOKEN: String(token['access_token']),
    PRINTWARDEN_AUTH_TOKEN: String(printer['auth_token']),
    PRINTWARDEN_SESSION: await signIn(url),
    PRINTWARDEN_OTHER_ACCOUNT: String(other['id']),
    SCHEMATHESIS_HOOKS: 'hooks',
    PYTHONPATH: HERE,
    PYTHONDONTWRITEBYTECODE: '1',
  }
  // In a folder that goes away, since Schemathesis keeps a cache where it runs.
  const options = ['--report-json-path', report, ...process.argv.slice(2)]
  run(
    join(VENV, 'bin/schemathesis'),
    ['--config-file', config, 'run', `${url}/openapi.json`, ...options],
    env,
    folder.path,
  )
  summarize(report)
} finally {
  await server.stop()
  await folder.remove()
}
