import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { WebSocket } from 'ws'

// What an agent of another service does on the wire from its first word until it is online: it asks whether there is news, shows a
// passcode, tells its secret to those in its network, takes a code, and opens its socket with a frame that a real one sent.

const RECORDED = new URL('../fixtures/upstream-traffic/octoprint-obico-2.6.1.jsonl', import.meta.url)

type Json = Readonly<Record<string, unknown>>

export interface ExistingAgent {
  /** The passcode that it shows, once it has one. */
  readonly passcode: string
  /** Asks once whether there is news; a code that came is used, which is told. */
  poll(): Promise<boolean>
  /** Uses a code that was typed. */
  verify(code: string): Promise<void>
  /** Opens the socket and sends a status. */
  goOnline(): Promise<void>
  close(): Promise<void>
}

export interface ExistingAgentOptions {
  /** Of its own, in its private network. */
  readonly address: string
  readonly hostname: string
  /** Whether it asks for a passcode. */
  readonly hasPasscode: boolean
}

const PRIVATE = /^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\.|^f[cd][0-9a-f]{2}:/

/** An address of this machine in a private network, if it has one. */
export function ownPrivateAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.map(({ address }) => address).find((address) => PRIVATE.test(address))
}

/** Starts one that belongs to nobody. */
export async function startExistingAgent(url: string, options: ExistingAgentOptions): Promise<ExistingAgent> {
  const deviceId = randomBytes(16).toString('hex')
  const secret = randomBytes(32).toString('hex')
  const local = await serveSecret(options.address, deviceId, secret)
  let passcode = ''
  let token: string | undefined
  let socket: WebSocket | undefined

  async function post(path: string, body?: unknown): Promise<Json> {
    const headers = { 'content-type': 'application/json' }
    const init = body === undefined ? {} : { headers, body: JSON.stringify(body) }
    const response = await fetch(`${url}/api/v1/octo/${path}`, { method: 'POST', ...init })
    if (!response.ok) throw new Error(`${path} was answered ${response.status}`)
    return (await response.json()) as Json
  }

  async function verify(code: string): Promise<void> {
    const { printer } = (await post(`verify/?code=${code}`)) as { printer: { auth_token: string } }
    token = printer.auth_token
  }

  async function poll(): Promise<boolean> {
    const device = {
      ...{ device_id: deviceId, hostname: options.hostname, host_or_ip: options.address, port: local.port },
      ...{ os: 'linux', arch: 'x86_64', rpi_model: '', plugin_version: '2', printerprofile: 'Default' },
      ...{ machine_type: '', agent: options.hasPasscode ? 'moonraker_obico' : 'Obico for OctoPrint' },
    }
    const answer = await post('unlinked/', options.hasPasscode ? { ...device, one_time_passcode: passcode } : device)
    const shown = answer['one_time_passcode']
    passcode = typeof shown === 'string' ? shown : ''
    const messages = answer['messages'] as { data: { code: string; secret: string } }[]
    const [message] = messages
    const sent = messages.length === 1 && message?.data.secret === secret ? message.data.code : undefined
    const code = sent ?? answer['verification_code']
    if (typeof code !== 'string' || code === '') return false
    await verify(code)
    return true
  }

  return {
    get passcode() {
      return passcode
    },
    poll,
    verify,
    async goOnline() {
      const printer = await fetch(`${url}/api/v1/octo/printer/`, { headers: { authorization: `Token ${token}` } })
      if (!printer.ok) throw new Error(`the printer was answered ${printer.status}`)
      const headers = { authorization: `bearer ${token}` }
      const open = new WebSocket(`${url.replace('http', 'ws')}/ws/dev/`, { headers })
      socket = open
      await new Promise((resolve, reject) => {
        open.once('open', resolve).once('error', reject)
      })
      open.send(JSON.stringify(recordedStatus()))
    },
    async close() {
      socket?.terminate()
      await new Promise((resolve) => {
        local.server.close(resolve)
      })
    },
  }
}

async function serveSecret(
  address: string,
  deviceId: string,
  secret: string,
): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((request, response) => {
    const isRight = request.url === `/plugin/obico/grab-discovery-secret?device_id=${deviceId}`
    response.writeHead(isRight ? 200 : 403, { 'content-type': 'application/json', connection: 'close' })
    response.end(isRight ? JSON.stringify({ device_secret: secret }) : '')
  })
  await new Promise<void>((resolve) => {
    server.listen(0, address, resolve)
  })
  return { server, port: (server.address() as AddressInfo).port }
}

/** The first whole status of a real agent, as of now. */
function recordedStatus(): Json {
  const lines = readFileSync(RECORDED, 'utf8').split('\n')
  const texts = lines.filter((line) => line !== '').map((line) => (JSON.parse(line) as Json)['ws_text'])
  const frames = texts.filter((text): text is Json => typeof text === 'object' && text !== null)
  const frame = frames.find((one) => typeof one['status'] === 'object' && one['settings'] !== undefined)
  if (frame === undefined) throw new Error('the recording has no status')
  return { ...frame, status: { ...(frame['status'] as Json), _ts: Math.floor(Date.now() / 1000) } }
}
