import type { Access, ApiErrorCode, Endpoint, Scope } from '@printwarden/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertToken } from '../oauth/store.js'
import { startTestServer, type TestServer, type TestUser } from '../testing.js'
import { pathsOf } from './aliases.js'
import { ALL, addThings, jsonBodyOf, type Things } from './testing.js'

// Every endpoint, at each of its paths, asked by every kind of caller: made from the endpoint data. What is refused is asked for with
// the ids of things that are there, so that a refusal which comes too late does harm that shows.

/** Who asks, as far as it matters to whether they are let in. */
interface Who {
  readonly by: 'nothing' | 'token' | 'key' | 'session' | 'agent'
  readonly scopes: readonly Scope[]
  readonly state: 'in force' | 'expired' | 'revoked' | 'of a disabled user'
  readonly isAdmin: boolean
  /** Whether the thing that the path names is theirs. */
  readonly isOwner: boolean
  /** Whether a page of another origin sends the request. */
  readonly isForeignPage: boolean
}

/** What they are told; undefined when they are let in. */
type Refusal = { readonly status: 400 | 401 | 403 | 404; readonly code: ApiErrorCode } | undefined

type Asked = Pick<Endpoint, 'access' | 'method'> & { readonly path: string; readonly id?: string }

/** Endpoints that write, and answer with what only a reader may see. */
const READS_TOO: readonly string[] = ['createPostMortem']

const unauthorized: Refusal = { status: 401, code: 'unauthorized' }
const forbidden: Refusal = { status: 403, code: 'insufficient_scope' }

/** The rules of decisions 3 and 4 once more, in another form than the server's. */
function refusalOf({ access, method, path, id = '' }: Asked, who: Who): Refusal {
  if (access === 'anyone') return undefined
  if (who.by === 'agent') return access === 'agent' || access === 'read_or_agent' ? undefined : unauthorized
  if (who.by === 'nothing' || access === 'agent') return unauthorized
  if (who.by === 'session') {
    if (who.isForeignPage && method !== 'GET') return forbidden
    if (who.state !== 'in force') return unauthorized
  } else if (who.state !== 'in force') {
    return { status: 401, code: who.state === 'expired' ? 'token_expired' : 'token_revoked' }
  }
  if (!mayWith(access, who) || (READS_TOO.includes(id) && !mayWith('read', who))) return forbidden
  return path.includes(':') && access !== 'admin' && !who.isOwner ? { status: 404, code: 'not_found' } : undefined
}

function mayWith(access: Access, { by, scopes, isAdmin }: Who): boolean {
  if (access === 'session') return by === 'session'
  if (access === 'admin') return isAdmin && scopes.includes('write')
  return scopes.includes(access === 'write' ? 'write' : 'read')
}

const BOTH: readonly Scope[] = ['read', 'write']
const owner: Who = {
  ...{ by: 'token', scopes: BOTH, state: 'in force', isAdmin: false, isOwner: true, isForeignPage: false },
}

const WHO = {
  'no token': { ...owner, by: 'nothing', scopes: [] },
  'a token with read': { ...owner, scopes: ['read'] },
  'a token with write': { ...owner, scopes: ['write'] },
  'a token with both': owner,
  'the same as X-API-KEY': { ...owner, by: 'key' },
  "another user's token": { ...owner, isOwner: false },
  'a revoked token': { ...owner, state: 'revoked' },
  'an expired token': { ...owner, state: 'expired' },
  "a disabled user's token": { ...owner, state: 'of a disabled user', isOwner: false },
  "an agent's token": { ...owner, by: 'agent' },
  'a session': { ...owner, by: 'session' },
  'a session, from a foreign page': { ...owner, by: 'session', isForeignPage: true },
  'an expired session': { ...owner, by: 'session', state: 'expired' },
  "a disabled user's session": { ...owner, by: 'session', state: 'of a disabled user', isOwner: false },
  "an administrator's token": { ...owner, isAdmin: true, isOwner: false },
  "an administrator's token with read": { ...owner, isAdmin: true, isOwner: false, scopes: ['read'] },
  "an administrator's session": { ...owner, by: 'session', isAdmin: true, isOwner: false },
} as const satisfies Record<string, Who>

describe('the rules', () => {
  const at = (access: Access, method: Endpoint['method'] = 'POST', path: Endpoint['path'] = '/x/'): Asked => ({
    ...{ access, method, path },
  })
  test.each([
    { who: 'no token', asked: at('anyone'), code: undefined },
    { who: 'a revoked token', asked: at('anyone'), code: undefined },
    { who: 'no token', asked: at('read'), code: 'unauthorized' },
    { who: 'a token with read', asked: at('read'), code: undefined },
    { who: 'a token with read', asked: at('write'), code: 'insufficient_scope' },
    { who: 'a token with write', asked: at('read'), code: 'insufficient_scope' },
    { who: 'a token with write', asked: at('write'), code: undefined },
    { who: 'a token with both', asked: at('session'), code: 'insufficient_scope' },
    { who: 'a token with both', asked: at('admin'), code: 'insufficient_scope' },
    { who: 'a token with both', asked: at('agent'), code: 'unauthorized' },
    { who: 'a token with read', asked: at('read_or_agent'), code: undefined },
    { who: 'a token with write', asked: at('read_or_agent'), code: 'insufficient_scope' },
    { who: "another user's token", asked: at('read', 'GET', '/x/:id/'), code: 'not_found' },
    { who: "another user's token", asked: at('read', 'GET'), code: undefined },
    { who: "an administrator's token", asked: at('read', 'GET', '/x/:id/'), code: 'not_found' },
    { who: "an administrator's token", asked: at('admin', 'PATCH', '/x/:id/'), code: undefined },
    { who: "an administrator's token with read", asked: at('admin', 'GET'), code: 'insufficient_scope' },
    { who: "an administrator's session", asked: at('admin'), code: undefined },
    { who: 'a revoked token', asked: at('session'), code: 'token_revoked' },
    { who: 'an expired token', asked: at('write'), code: 'token_expired' },
    { who: 'an expired token', asked: at('agent'), code: 'unauthorized' },
    { who: "a disabled user's token", asked: at('read', 'GET', '/x/:id/'), code: 'token_revoked' },
    { who: "an agent's token", asked: at('read'), code: 'unauthorized' },
    { who: "an agent's token", asked: at('agent'), code: undefined },
    { who: 'a session', asked: at('session'), code: undefined },
    { who: 'a session', asked: at('agent'), code: 'unauthorized' },
    { who: 'a session, from a foreign page', asked: at('read', 'GET'), code: undefined },
    { who: 'a session, from a foreign page', asked: at('write'), code: 'insufficient_scope' },
    { who: 'an expired session', asked: at('read', 'GET'), code: 'unauthorized' },
  ] as const)('$who at $asked.access ($asked.method $asked.path): $code', ({ who, asked, code }) => {
    expect(refusalOf(asked, WHO[who])?.code).toBe(code)
  })
})

let server: TestServer
let things: Things
let stranger: TestUser
let disabled: TestUser

beforeAll(async () => {
  server = await startTestServer()
  things = await addThings(server, server.other)
  stranger = await server.addUser('stranger')
  disabled = await server.addUser('disabled')
  await server.database.db.updateTable('users').set({ disabled_at: 1 }).where('id', '=', disabled.id).execute()
})
afterAll(() => server.close())

/** Whose credential it is. */
function userIdOf(who: Who): number {
  if (who.isAdmin) return server.owner.id
  if (who.state === 'of a disabled user') return disabled.id
  return who.isOwner ? things.user.id : stranger.id
}

/** A credential that nobody has used yet: some endpoints end all that there are. */
async function credentialOf(who: Who): Promise<Record<string, string>> {
  const now = server.clock.now()
  const secret = server.secrets.newToken(32)
  const expires_at = who.state === 'expired' ? now - 1000 : now + 3_600_000
  const row = { user_id: userIdOf(who), token_hash: server.secrets.hash(secret), created_at: now, expires_at }
  if (who.by === 'nothing') return {}
  if (who.by === 'agent') return { authorization: `Bearer ${things.auth_token}` }
  if (who.by === 'session') {
    await server.database.db.insertInto('sessions').values(row).execute()
    const cookie = `printwarden_session=${secret}`
    return { cookie, ...(who.isForeignPage ? { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' } : {}) }
  }
  const scope = who.scopes.join(' ')
  const revoked_at = who.state === 'revoked' ? now : null
  await insertToken(server.database.db, { ...row, client_id: null, name: null, scope, revoked_at })
  return who.by === 'key' ? { 'x-api-key': secret } : { authorization: `Bearer ${secret}` }
}

interface Told {
  readonly status: number
  readonly code: unknown
}

async function ask(endpoint: Endpoint, url: string, headers: Record<string, string>, payload?: string): Promise<Told> {
  const json = payload === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await server.app.inject({
    method: endpoint.method,
    url,
    headers: { host: new URL(server.url).host, ...json, ...headers },
    ...(payload === undefined ? {} : { payload }),
  })
  const isProblem = String(answer.headers['content-type']).startsWith('application/problem+json')
  return { status: answer.statusCode, code: isProblem ? answer.json<{ code: unknown }>().code : undefined }
}

interface Welcome {
  readonly status: number
  /** Whether the path names a thing that is not there. */
  readonly isMissing: boolean
  readonly payload?: string
}

/** What only the handler knows: no printer was named, the printer is off, or the user has not agreed. */
const SAID_BY_HANDLER: Readonly<Record<string, number>> = {
  listSharedResources: 404,
  sharePrinter: 404,
  getSlicerPrinter: 409,
  exportDetectionExamples: 409,
}

/** What somebody who is let in is told, without anything being changed: about a missing thing, or about input that is none. */
function welcomeOf(endpoint: Endpoint, path: string): Welcome {
  if (endpoint.body !== undefined) return { status: 400, isMissing: true, payload: '{' }
  if (endpoint.multipart !== undefined) return { status: 415, isMissing: true, payload: '{' }
  const isMissing = path.includes(':') && endpoint.method !== 'GET'
  if (endpoint.query?.safeParse({}).success === false) return { status: 400, isMissing }
  if (isMissing || path.includes(':command_id')) return { status: 404, isMissing }
  return { status: SAID_BY_HANDLER[endpoint.id] ?? endpoint.status ?? 200, isMissing }
}

/** An address with the ids of things that are there, or that are not. */
function urlOf(endpoint: Endpoint, path: string, isMissing = false): string {
  const id = isMissing ? 987_654_321 : (things.idFor(endpoint) ?? 0)
  const printer = isMissing ? id : things.ids['/api/v1/printers/:id/']
  const asked = { ...endpoint, path: path.replace(':printer', String(printer)) as Endpoint['path'] }
  return things.pathOf(asked, id)
}

async function expectCell(endpoint: Endpoint, path: string, who: Who): Promise<void> {
  const refusal = refusalOf({ ...endpoint, path }, who)
  const welcome = welcomeOf(endpoint, path)
  // That a thing is another's is found out after the form of the body is right.
  const example = endpoint.body === undefined ? undefined : JSON.stringify(jsonBodyOf(endpoint)?.example)
  const payload = refusal?.status === 404 ? example : welcome.payload
  const url = urlOf(endpoint, path, refusal === undefined && welcome.isMissing)
  const told = await ask(endpoint, url, await credentialOf(who), payload)
  if (refusal === undefined) expect({ url, status: told.status }).toEqual({ url, status: welcome.status })
  else expect({ url, ...told }).toEqual({ url, ...refusal })
}

const cells = ALL.flatMap((endpoint) =>
  pathsOf(endpoint.path).map((path) => ({
    route: `${endpoint.method} ${path}`,
    path,
    access: endpoint.access,
    endpoint,
  })),
)

describe.each(Object.entries(WHO))('%s', (_name, who) => {
  test.each(cells)('$route ($access)', ({ endpoint, path }) => expectCell(endpoint, path, who))
})

describe('a token in the address', () => {
  const closed = cells.filter(({ access }) => access !== 'anyone')

  test.each(closed)('$route: lets nobody in', async ({ endpoint, path }) => {
    const who = endpoint.access === 'agent' ? WHO["an agent's token"] : WHO["an administrator's token"]
    const token = (await credentialOf(who))['authorization']?.slice('Bearer '.length) ?? ''
    for (const name of ['access_token', 'api_key', 'X-API-KEY', 'token', 'auth_token']) {
      const url = `${urlOf(endpoint, path)}?${name}=${token}`
      const told = await ask(endpoint, url, {}, welcomeOf(endpoint, path).payload)
      expect({ url, ...told }).toEqual({ url, ...unauthorized })
    }
  })

  test.each(closed.filter(({ access }) => access !== 'agent'))(
    '$route: is refused beside a good one too',
    async ({ endpoint, path }) => {
      const headers = await credentialOf(WHO["an administrator's token"])
      const url = `${urlOf(endpoint, path)}?access_token=x`
      const told = await ask(endpoint, url, headers, welcomeOf(endpoint, path).payload)
      expect({ url, ...told }).toEqual({ url, status: 400, code: 'invalid_request' })
    },
  )
})

test('after all this everything is as it was', async () => {
  const shown = cells.filter(({ endpoint: { method, access }, path }) => {
    return method === 'GET' && path.includes('/:id/') && !path.includes(':command_id') && access !== 'admin'
  })
  for (const { endpoint, path } of shown) {
    const by = endpoint.access === 'session' ? WHO['a session'] : WHO['a token with both']
    const headers = await credentialOf(endpoint.access === 'agent' ? WHO["an agent's token"] : by)
    const url = urlOf(endpoint, path)
    expect({ url, ...(await ask(endpoint, url, headers)) }).toEqual({ url, status: 200, code: undefined })
  }
})
