// `npm start -- --demo`: a server on a data folder of its own, and two simulated printers, each run by a real agent process over the
// real protocol. The print of one of them turns into spaghetti.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const program = (name) => fileURLToPath(new URL(`../packages/${name}/dist/main.js`, import.meta.url))

const PRINTERS = [
  { name: 'Workshop', options: ['--fail', '--seed', '505'] },
  { name: 'Attic', options: ['--seed', '609'] },
]

/** Runs until Ctrl-C. Arguments go to the server. */
export async function runDemo(serverArgs) {
  const dataDir = resolve(process.env.INIT_CWD ?? '.', process.env.PRINTWARDEN_DATA_DIR ?? 'data-demo')
  const kept = keptAccess(resolve(dataDir, 'demo.json'))
  const admin = {
    PRINTWARDEN_ADMIN_EMAIL: process.env.PRINTWARDEN_ADMIN_EMAIL ?? kept.access.email,
    PRINTWARDEN_ADMIN_PASSWORD: process.env.PRINTWARDEN_ADMIN_PASSWORD ?? kept.access.password,
  }
  const children = []
  let stopping = false
  const start = (name, args, env) => {
    const child = spawn(process.execPath, [program(name), ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
      // Ctrl-C in a terminal reaches the whole group; the agents must not go before the server is told.
      detached: process.platform !== 'win32',
    })
    children.push(child)
    child.on('exit', (code) => {
      if (!stopping) stop(code ?? 1)
    })
    return child
  }
  const stop = (code) => {
    stopping = true
    const alive = children.filter((child) => child.exitCode === null && child.signalCode === null)
    if (alive.length === 0) process.exit(code)
    let left = alive.length
    for (const child of alive) {
      child.on('exit', () => {
        left -= 1
        if (left === 0) process.exit(code)
      })
      child.kill('SIGTERM')
    }
  }
  process.on('SIGINT', () => stop(0))
  process.on('SIGTERM', () => stop(0))

  const server = start('server', serverArgs, { ...admin, PRINTWARDEN_DATA_DIR: dataDir })
  const url = await listeningUrl(server)
  const tokens = await printerTokens(url, admin, kept)

  console.log('')
  console.log(`The demo runs at ${url}`)
  if (process.env.PRINTWARDEN_ADMIN_EMAIL === undefined) {
    console.log(`  sign in as  ${kept.access.email}`)
    console.log(`  password    ${kept.access.password}`)
  }
  console.log('Two printers start to print; within two minutes one of them fails, is alerted about and paused.')
  console.log('Stop with Ctrl-C.')
  for (const [index, { name, options }] of PRINTERS.entries()) {
    const agent = start('agent', ['simulate', '--server', url, '--count', '1', ...options], {
      PRINTWARDEN_AGENT_TOKENS: tokens[index],
    })
    createInterface({ input: agent.stdout }).on('line', (line) => {
      if (/"level":(50|60)|ERROR|FATAL/.test(line)) console.log(`agent of ${name}: ${readable(line)}`)
    })
  }
}

/** A log line of JSON as a line for people. */
function readable(line) {
  if (!line.startsWith('{"level"')) return line
  const { level: _, time, msg, ...fields } = JSON.parse(line)
  const words = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return `${time.slice(11, 19)} ${msg} ${words.join(' ')}`
}

/** The demo's sign-in and its printers' tokens, kept so that a second start shows the same printers. */
function keptAccess(file) {
  const access = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { email: 'demo@printwarden.example', password: randomBytes(6).toString('hex'), tokens: [] }
  const save = () => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, `${JSON.stringify(access, null, 2)}\n`, { mode: 0o600 })
  }
  save()
  return { access, save }
}

/** Passes the server's output on, and resolves with its address. */
function listeningUrl(server) {
  return new Promise((resolveUrl) => {
    createInterface({ input: server.stdout }).on('line', (line) => {
      console.log(readable(line))
      const url = /listening url=(\S+)/.exec(line)?.[1]
      if (url !== undefined) resolveUrl(url)
    })
  })
}

/** The printers' auth tokens: made on the first start by the server's own command line. */
async function printerTokens(url, admin, kept) {
  for (const { name } of PRINTERS.slice(kept.access.tokens.length)) {
    const args = ['printer', 'add', '--user', admin.PRINTWARDEN_ADMIN_EMAIL, '--name', name, '--json', '--url', url]
    const { auth_token } = JSON.parse(await output('server', args, admin))
    kept.access.tokens.push(auth_token)
    kept.save()
  }
  return kept.access.tokens
}

function output(name, args, env) {
  return new Promise((resolveOutput, reject) => {
    const child = spawn(process.execPath, [program(name), ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    child.on('exit', (code) =>
      code === 0 ? resolveOutput(text) : reject(new Error(`printwarden-${name} ${args.join(' ')} ended with ${code}`)),
    )
  })
}
