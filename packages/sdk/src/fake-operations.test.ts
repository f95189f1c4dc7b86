import { type Endpoint, endpoints, UnlinkedAnswer } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { sampleOf } from './fake-sample.js'
import { createFakeServer, type FakePrinter, type FakeServer } from './testing.js'

// Every endpoint of the data is called as an app would, with ids of things that are there.

const ALL: readonly Endpoint[] = Object.values(endpoints)

const DEVICE = 'a'.repeat(32)

interface World {
  readonly server: FakeServer
  readonly printer: FakePrinter
  readonly ids: Readonly<Record<string, string | number>>
  readonly secrets: Readonly<Record<string, string>>
}

/** An agent that belongs to nobody says that it is there. */
async function announce(server: FakeServer): Promise<UnlinkedAnswer> {
  const body = JSON.stringify({ device_id: DEVICE, one_time_passcode: '' })
  const request = new Request(`${server.baseUrl}/api/v1/agent/unlinked/`, { method: 'POST', body })
  request.headers.set('content-type', 'application/json')
  return UnlinkedAnswer.parse(await (await server.fetch(request)).json())
}

/** A server in which one of everything is there, and belongs to an administrator. */
async function fullWorld(): Promise<World> {
  const server = createFakeServer()
  const admin = server.addUser({ email: 'admin@example.test', is_admin: true })
  const printer = server.addPrinter({ userId: admin, name: 'MK4' })
  const camera = printer.addCamera()
  printer.startPrint('cube.gcode')
  printer.analyse(0.4)
  printer.alert(0.9)
  printer.endPrint()
  const client = server.client({ userId: admin })
  const browser = server.client({ userId: admin, session: true })
  const [print] = await client.listPrints()
  const [alert] = await client.listPrintAlerts({ id: print?.id ?? 0 })
  const [frame] = await client.listPrintFrames({ id: print?.id ?? 0 })
  const answered = await client.answerAlert({ id: alert?.id ?? 0, answer: 'NOT_FAILED' })
  const folder = await client.createGCodeFolder({ name: 'parts' })
  const file = await server.addFile({ userId: admin, filename: 'cube.gcode', bytes: 'G28' })
  const [share] = await client.sharePrinter({ printer_id: printer.id })
  const device = await client.registerMobileDevice({ platform: 'ios', app_version: '1', device_token: 't' })
  const email = (await client.listNotificationSettings())[0]
  const slack = await client.createNotificationSetting({ name: 'slack', config: { access_token: 'k' } })
  const app = await browser.createOAuthApp({
    name: 'App',
    type: 'confidential',
    redirect_uris: ['https://app.example/callback'],
  })
  server.addToken({ userId: admin, app: 'App' })
  const [connection] = await browser.listConnectedApps()
  const personal = await browser.createPersonalToken({ name: 'script', scope: 'read' })
  const invitation = await client.createInvitation({})
  const linkCode = await client.requestLinkCode()
  const waiting = await client.startAgentLink({ device_name: 'Pi', agent_version: '1' })
  const announced = await announce(server)
  const backtest = await client.backtestPrint({ id: print?.id ?? 0, model: 'kept_scores' })
  const shot = server.addShot(print?.id ?? 0)
  const chat = await client.createChat({ messages: '[]' })
  printer.startPrint('next.gcode')
  const command = await client.pausePrint({ id: printer.id })
  const account = await client.createAccount({ email: 'new@example.test', password: 'correct-horse-battery' })
  await client.issueToken({ email: 'new@example.test', scope: 'read' })
  const [session] = await browser.listSessions()
  return {
    server,
    printer,
    ids: {
      printers: printer.id,
      prints: print?.id ?? 0,
      alerts: alert?.id ?? 0,
      examples: answered.alert.example_id ?? 0,
      answer_id: answered.alert.example_id ?? 0,
      camera_id: camera.id,
      command_id: command.command_id ?? '',
      client_id: app.client_id,
      printer: printer.id,
      g_code_files: file.id,
      g_code_folders: folder.id,
      sharedresources: share?.id ?? 0,
      mobile_devices: device.id,
      notification_settings: slack.id,
      email: email?.id ?? 0,
      apps: app.id,
      connections: connection?.id ?? 0,
      tokens: personal.id,
      invitations: invitation.id,
      onetimeverificationcodes: linkCode.id,
      backtests: backtest.id,
      printshotfeedbacks: shot,
      sessions: session?.id ?? 0,
      users: account.id,
      frame_ts: frame?.ts ?? 0,
      imports: 1,
      chats: chat.id,
      proposals: 1,
    },
    secrets: {
      read: server.addToken({ userId: admin, scopes: ['read'] }),
      write: server.addToken({ userId: admin, scopes: ['write'] }),
      both: server.addToken({ userId: admin }),
      session: server.addToken({ userId: admin, session: true }),
      plain: server.addToken({}),
      agent: printer.authToken,
      linkCode: linkCode.code ?? '',
      waitingCode: waiting.code,
      waitingSecret: waiting.secret,
      passcode: announced.one_time_passcode ?? '',
    },
  }
}

/** Input that says something, where what is made from the schema names nothing that is there. */
function wordsOf({ ids, secrets }: World): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  return {
    createNotificationSetting: { name: 'email' },
    replaceNotificationSetting: { name: 'slack', config: { access_token: 'k' } },
    createOAuthApp: { name: 'Two', type: 'public', redirect_uris: ['app://callback'] },
    addClient: { name: 'Two', type: 'public', redirect_uris: ['app://callback'] },
    issueToken: { email: 'admin@example.test', scope: 'read' },
    addPrinterFor: { email: 'admin@example.test', name: 'Two' },
    adminSignIn: { email: 'new@example.test', password: 'correct-horse-battery' },
    uploadGCodeFile: { filename: 'two.gcode' },
    replaceGCodeFile: { filename: 'two.gcode' },
    printGCodeFile: { printer_id: ids['printers'] },
    moveGCodeFiles: { file_ids: [ids['g_code_files']], parent_folder: ids['g_code_folders'] },
    labelFrame: { frame_ts: ids['frame_ts'], answer: 'FAILED' },
    pollAgentLink: { secret: secrets['waitingSecret'] },
    linkPrinter: { code: secrets['waitingCode'] },
    announceUnlinkedAgent: { device_id: DEVICE },
    sendLinkCode: { device_id: DEVICE, code: '1', device_secret: 's' },
    claimPasscode: { one_time_passcode: secrets['passcode'], verification_code: '1' },
    reportPrinterEvent: { event_type: 'PAUSED', event_class: 'INFO', event_title: 'Paused', event_text: 'By hand' },
    reportGCodeFile: { safe_filename: 'on-printer.gcode', agent_signature: 'ts:1', filename: 'on-printer.gcode' },
  }
}

const QUERIES: Readonly<Record<string, string>> = {
  getPrintStats: 'timezone=Europe/Berlin&from_date=2026-01-01&to_date=2026-01-31&group_by=week',
}
/** What the fake refuses as the real server does, however valid the input. */
const REFUSED: Readonly<Record<string, number>> = {
  createNotificationSetting: 409, // everybody has one for e-mail
  exportDetectionExamples: 409, // no consent
  retryTimelapse: 409, // none has failed
  adminSignIn: 403, // no administrator
  importBytes: 404, // nothing is brought over
  confirmActionProposal: 404, // nothing is proposed
  dismissActionProposal: 404,
  getPostMortem: 404, // nobody has asked
}

function pathOf({ path }: Endpoint, ids: World['ids']): string {
  const words = path.split('/')
  return words
    .map((word, index) => {
      if (!word.startsWith(':')) return word
      const name = word.slice(1)
      const noun = name === 'id' ? (words[index - 1] ?? '') : name
      const value = ids[noun]
      if (value === undefined) throw new Error(`the test has no ${noun} for ${path}`)
      return String(value)
    })
    .join('/')
}

function requestOf(world: World, endpoint: Endpoint, token: string | undefined): Request {
  const { server, ids } = world
  const needsPrinter = endpoint.id === 'listSharedResources' || endpoint.id === 'sharePrinter'
  const query = endpoint.id.startsWith('verifyLinkCode')
    ? `code=${world.secrets['linkCode']}`
    : needsPrinter
      ? `printer_id=${ids['printers']}`
      : (QUERIES[endpoint.id] ?? new URLSearchParams(textsOf(endpoint.example?.query)).toString())
  const url = `${server.baseUrl}${pathOf(endpoint, ids)}?${query}`
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  if (endpoint.method === 'GET') return new Request(url, { headers })
  const words = wordsOf(world)[endpoint.id]
  if (endpoint.multipart !== undefined && endpoint.body === undefined) {
    return new Request(url, { method: endpoint.method, headers, body: formOf(endpoint, words ?? {}) })
  }
  if (endpoint.body === undefined) return new Request(url, { method: endpoint.method, headers })
  const body = JSON.stringify(words ?? endpoint.example?.body ?? sampleOf(endpoint.body, 'input'))
  return new Request(url, {
    method: endpoint.method,
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  })
}

const textsOf = (values: Readonly<Record<string, unknown>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))

function formOf({ multipart = [] }: Endpoint, words: Readonly<Record<string, unknown>>): FormData {
  const form = new FormData()
  for (const { name, kind, required } of multipart) {
    if (kind === 'file' && required) form.set(name, new File(['G28'], 'three.gcode'))
    else if (typeof words[name] === 'string') form.set(name, words[name])
  }
  return form
}

function tokenFor({ access }: Endpoint, { secrets }: World): string | undefined {
  if (access === 'anyone') return undefined
  return secrets[access === 'agent' || access === 'session' ? access : 'both']
}

test.each(ALL)('$id answers what its schema promises', async (endpoint) => {
  const world = await fullWorld()
  const response = await world.server.fetch(requestOf(world, endpoint, tokenFor(endpoint, world)))
  const text = await response.text()
  const allowed = [endpoint.status ?? 200, ...(endpoint.otherStatus === undefined ? [] : [endpoint.otherStatus])]
  const refused = REFUSED[endpoint.id]
  expect(refused === undefined ? allowed : [refused], text).toContain(response.status)
  if (refused !== undefined || endpoint.output === undefined) return
  const body: unknown = JSON.parse(text)
  // What is not in the schema is left out, so that a body that stays the same has nothing else in it.
  expect(endpoint.output.parse(body)).toEqual(body)
})

let shared: Promise<World> | undefined

/** One world for everything that is refused, since nothing in it changes. */
const refusing = (): Promise<World> => (shared ??= fullWorld())

test.each(ALL.filter(({ access }) => access !== 'anyone'))('$id lets nobody in without a token', async (endpoint) => {
  const world = await refusing()
  const response = await world.server.fetch(requestOf(world, endpoint, undefined))
  expect(response.status).toBe(401)
})

const SCOPED = ALL.filter(({ access }) => !['anyone', 'agent'].includes(access))

test.each(SCOPED)('$id is refused to a token of the wrong kind', async (endpoint) => {
  const world = await refusing()
  const { access } = endpoint
  const isRead = access === 'read' || access === 'read_or_agent'
  const wrong = { session: 'both', admin: 'plain', other: isRead ? 'write' : 'read' }
  const kind = access === 'session' || access === 'admin' ? wrong[access] : wrong.other
  const response = await world.server.fetch(requestOf(world, endpoint, world.secrets[kind]))
  expect(response.status).toBe(403)
})

/** What one names by an id, and what belongs to nobody in particular. */
const OWNED = ALL.filter(
  ({ path, access }) => path.includes(':') && (access === 'read' || access === 'write' || access === 'session'),
)

test.each(OWNED)('$id answers 404 to another user', async (endpoint) => {
  const world = await refusing()
  const other = world.server.addToken({ session: endpoint.access === 'session' })
  const response = await world.server.fetch(requestOf(world, endpoint, other))
  expect(response.status).toBe(404)
})
