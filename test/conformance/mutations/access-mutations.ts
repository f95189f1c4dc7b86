import {
  type Answer,
  editJson,
  isObject,
  type Json,
  type Mutation,
  problem,
  type Request,
  swapToken,
  type World,
} from './mutation.js'

// Who is let in, and how it is told that somebody is not.

const me = '/api/v1/users/me/'

/** Acts as if this token were the owner's with both scopes. */
const believes =
  (token: 'expired' | 'revoked' | 'read' | 'write') =>
  (request: Request, { target }: World) =>
    swapToken(request, target.tokens[token], target.tokens.read_write)

const onStatus = (status: number, edit: (answer: Answer) => void) => (answer: Answer) => {
  if (answer.status === status) edit(answer)
}

const edited = (edit: (body: Json) => void) => (answer: Answer) =>
  editJson(answer, (body) => {
    if (isObject(body)) edit(body)
  })

/** Whether the path names something that belongs to the other of the two users. */
async function isForeign({ path, headers }: Request, { target, ask }: World): Promise<boolean> {
  const kind = /^\/api\/v1\/(printers|prints|g_code_files|g_code_folders)\/\d+\//.exec(path)?.[0]
  if (kind === undefined || headers['authorization'] === undefined) return false
  const tokens = [target.tokens.read_write, target.tokens.other]
  const answers = await Promise.all(tokens.map((token) => ask('GET', kind, { authorization: `Bearer ${token}` })))
  return answers.some(({ status }) => status === 200)
}

export const accessMutations: readonly Mutation[] = [
  {
    id: 'expired-token-accepted',
    breaks: 'an expired token opens the API',
    cases: ['authentication/expired-token'],
    hooks: () => ({ request: believes('expired') }),
  },
  {
    id: 'revoked-token-accepted',
    breaks: 'a revoked token opens the API',
    cases: ['authentication/revoked-token'],
    hooks: () => ({ request: believes('revoked') }),
  },
  {
    id: 'read-token-may-change',
    breaks: 'a token with "read" alone may PATCH',
    cases: ['scopes/update-printer', 'scopes/update-me'],
    hooks: () => ({
      request: (request, world) => {
        if (request.method === 'PATCH') believes('read')(request, world)
      },
    }),
  },
  {
    id: 'read-token-may-act',
    breaks: 'a token with "read" alone may cancel a print',
    cases: ['scopes/cancel-print'],
    hooks: () => ({
      request: (request, world) => {
        if (request.path.endsWith('/cancel_print/')) believes('read')(request, world)
      },
    }),
  },
  {
    id: 'write-implies-read',
    breaks: 'a token with "write" alone may read',
    cases: ['scopes/list-printers', 'scopes/get-me'],
    hooks: () => ({
      request: (request, world) => {
        if (request.method === 'GET') believes('write')(request, world)
      },
    }),
  },
  {
    id: 'head-needs-no-scope',
    breaks: 'HEAD does not look at the scope',
    cases: ['scopes/head'],
    hooks: () => ({
      request: (request, world) => {
        if (request.method === 'HEAD') believes('write')(request, world)
      },
    }),
  },
  {
    id: 'api-key-ignored',
    breaks: 'X-API-KEY is not read',
    cases: ['authentication/api-key'],
    hooks: () => ({ request: ({ headers }) => void delete headers['x-api-key'] }),
  },
  {
    id: 'token-in-query-accepted',
    breaks: 'a token in the address is accepted',
    cases: ['authentication/no-token-in-query'],
    hooks: () => ({
      request: ({ query, headers }) => {
        const token = query.get('access_token')
        if (token !== null) headers['authorization'] = `Bearer ${token}`
      },
    }),
  },
  {
    id: 'agent-token-is-user',
    breaks: "a printer's auth_token opens the user's API",
    cases: ['authentication/agent-token-is-no-user'],
    hooks: () => ({
      request: (request, { target }) => {
        if (request.path === '/api/v1/printers/') {
          swapToken(request, target.printer.auth_token, target.tokens.read_write)
        }
      },
    }),
  },
  {
    id: 'user-token-is-agent',
    breaks: "a user's token may upload snapshots",
    cases: ['snapshots/authentication'],
    hooks: () => ({
      request: (request, { target }) => {
        if (request.path === '/api/v1/agent/pic/') {
          swapToken(request, target.tokens.read_write, target.printer.auth_token)
        }
      },
    }),
  },
  {
    id: 'unauthorized-is-403',
    breaks: 'a missing token is answered with 403',
    cases: ['authentication/required-list-printers', 'authentication/unknown-token'],
    hooks: () => ({ answer: onStatus(401, (answer) => Object.assign(answer, problem(403, 'unauthorized'))) }),
  },
  {
    id: 'insufficient-scope-is-401',
    breaks: 'a missing scope is answered with 401',
    cases: ['scopes/update-printer'],
    hooks: () => ({ answer: onStatus(403, (answer) => Object.assign(answer, problem(401, 'unauthorized'))) }),
  },
  {
    id: 'no-challenge',
    breaks: '401 lacks WWW-Authenticate',
    cases: ['authentication/challenge'],
    hooks: () => ({ answer: ({ headers }) => void delete headers['www-authenticate'] }),
  },
  {
    id: 'one-code-for-all-401',
    breaks: 'expired and revoked tokens have no codes of their own',
    cases: ['authentication/codes'],
    hooks: () => ({
      answer: onStatus(
        401,
        edited((body) => void (body['code'] = 'unauthorized')),
      ),
    }),
  },
  {
    id: 'foreign-is-403',
    breaks: "another user's resource is 403 instead of 404",
    cases: ['errors/foreign-get-printer', 'errors/foreign-get-print'],
    hooks: () => ({
      answer: async (answer, request, world) => {
        if (answer.status !== 404 || !(await isForeign(request, world))) return
        Object.assign(answer, problem(403, 'insufficient_scope'))
      },
    }),
  },
  {
    id: 'foreign-differs-from-missing',
    breaks: "the body for another user's resource differs from that for none",
    cases: ['errors/foreign-equals-missing'],
    hooks: () => ({
      answer: async (answer, request, world) => {
        if (answer.status !== 404 || !(await isForeign(request, world))) return
        edited((body) => void (body['detail'] = 'You may not see this.'))(answer)
      },
    }),
  },
  {
    id: 'foreign-prints-listed',
    breaks: "the list of prints holds other users' prints",
    cases: ['prints/others-hidden'],
    hooks: () => ({
      request: (request, { target }) => {
        if (request.path === '/api/v1/prints/') swapToken(request, target.tokens.other, target.tokens.read_write)
      },
    }),
  },
  {
    id: 'foreign-printer-changed',
    breaks: "another user's printer can be changed",
    cases: ['errors/foreign-update-printer'],
    hooks: () => ({
      request: (request, { target }) => {
        if (request.method === 'PATCH' && request.path.includes(`/printers/${target.other_printer.id}/`)) {
          swapToken(request, target.tokens.read_write, target.tokens.other)
        }
      },
    }),
  },
  {
    id: 'auth-token-leaked',
    breaks: 'auth_token is shown to a token with "read" alone',
    cases: ['printers/auth-token'],
    hooks: () => ({
      request: (request, world) => {
        if (request.method === 'GET' && request.path.startsWith('/api/v1/printers/')) believes('read')(request, world)
      },
    }),
  },
  {
    id: 'missing-is-400',
    breaks: 'what does not exist is 400',
    cases: ['errors/missing-get-printer', 'errors/missing-get-print'],
    hooks: () => ({ answer: onStatus(404, (answer) => Object.assign(answer, problem(400, 'invalid_request'))) }),
  },
  {
    id: 'plain-json-errors',
    breaks: 'errors have the content type application/json',
    cases: ['errors/malformed-json', 'errors/unknown-path'],
    hooks: () => ({
      answer: ({ status, headers }) => void (status >= 400 && (headers['content-type'] = 'application/json')),
    }),
  },
  {
    id: 'malformed-json-is-500',
    breaks: 'a body that is not JSON is a failure of the server',
    cases: ['errors/malformed-json'],
    hooks: () => ({
      answer: onStatus(400, (answer) => {
        if (answer.body.includes('malformed_json')) Object.assign(answer, problem(500, 'internal'))
      }),
    }),
  },
  {
    id: 'first-issue-only',
    breaks: 'invalid input is answered with its first problem only',
    cases: ['errors/issues'],
    hooks: () => ({
      answer: onStatus(
        400,
        edited((body) => void (Array.isArray(body['issues']) && body['issues'].splice(1))),
      ),
    }),
  },
  {
    id: 'no-cors',
    breaks: 'pages of other origins may not read answers',
    cases: ['errors/cors'],
    hooks: () => ({ answer: ({ headers }) => void delete headers['access-control-allow-origin'] }),
  },
  {
    id: 'preflight-needs-token',
    breaks: 'a preflight without a token is 401',
    cases: ['errors/cors-preflight'],
    hooks: () => ({ request: ({ method }) => (method === 'OPTIONS' ? problem(401, 'unauthorized') : undefined) }),
  },
  {
    id: 'slash-redirects',
    breaks: 'a path without the slash at the end is a redirect',
    cases: ['paths-and-methods/slash-list-printers', 'paths-and-methods/equal-list-printers'],
    hooks: () => ({
      request: ({ url, path }) =>
        /\/(?=$|\?)/.test(url) ? undefined : { status: 301, headers: { location: path }, body: Buffer.alloc(0) },
    }),
  },
  {
    id: 'wrong-method-is-404',
    breaks: 'a method that a path does not know is 404',
    cases: ['paths-and-methods/DELETE-users-me', 'printer-actions/by-get'],
    hooks: () => ({ answer: onStatus(405, (answer) => Object.assign(answer, problem(404, 'not_found'))) }),
  },
  {
    id: 'no-allow',
    breaks: '405 does not say which methods there are',
    cases: ['paths-and-methods/DELETE-users-me', 'printer-actions/by-get'],
    hooks: () => ({ answer: ({ headers }) => void delete headers['allow'] }),
  },
  {
    id: 'profile-of-the-other',
    breaks: 'the profile is that of another user',
    cases: ['authentication/bearer', 'users/get'],
    hooks: () => ({
      request: (request, { target }) => {
        if (request.path === me) swapToken(request, target.tokens.read, target.tokens.other)
      },
    }),
  },
  {
    id: 'state-lost',
    breaks: 'the redirect after consent lacks state',
    cases: ['oauth-authorize/code-and-state', 'oauth-authorize/denied'],
    hooks: () => ({
      answer: ({ headers }) => {
        const { location } = headers
        if (location !== undefined) headers['location'] = location.replace(/([?&])state=[^&]*/, '$1x=')
      },
    }),
  },
  {
    id: 'open-redirect',
    breaks: 'an error is sent to a redirect URI that was not registered',
    cases: ['oauth-authorize/unregistered-redirect'],
    hooks: () => ({
      answer: (answer, { path, query }) => {
        if (path !== '/o/authorize/' || answer.status !== 400) return
        const location = `${query.get('redirect_uri') ?? ''}?error=invalid_redirect_uri`
        Object.assign(answer, { status: 302, headers: { location }, body: Buffer.alloc(0) })
      },
    }),
  },
  {
    id: 'scope-ignored',
    breaks: 'every token has both scopes, whatever was asked for',
    cases: ['oauth-token/scope'],
    hooks: () => ({
      request: (request) => {
        if (request.path !== '/o/authorize/' || !request.query.has('scope')) return
        request.query.set('scope', 'read write')
        request.url = `/o/authorize/?${request.query.toString()}`
      },
    }),
  },
  {
    id: 'secret-not-checked',
    breaks: 'a confidential client is believed without its secret',
    cases: ['oauth-token/wrong-client', 'oauth-token/wrong-secret-status'],
    hooks: () => ({
      request: (request, { target }) => {
        if (request.path !== '/o/token/') return
        const form = new URLSearchParams(request.body.toString())
        const { client_id, client_secret } = target.clients.confidential
        if (form.get('client_id') === client_id) form.set('client_secret', client_secret)
        request.body = Buffer.from(form.toString())
      },
    }),
  },
  {
    id: 'code-used-twice',
    breaks: 'a code that was used gives tokens again',
    cases: ['oauth-token/used-code'],
    hooks: () => {
      const given = new Map<string, Answer>()
      return {
        request: ({ path, body }) => {
          const before = path === '/o/token/' ? given.get(body.toString()) : undefined
          return before && { ...before }
        },
        answer: (answer, { path, body }) => {
          if (path === '/o/token/' && answer.status === 200) given.set(body.toString(), { ...answer })
        },
      }
    },
  },
  {
    id: 'expires-in-missing',
    breaks: 'the token answer lacks expires_in',
    cases: ['oauth-token/exchange', 'oauth-token/lifetime'],
    hooks: () => ({
      answer: (answer, { path }) => {
        if (path === '/o/token/') edited((body) => void delete body['expires_in'])(answer)
      },
    }),
  },
  {
    id: 'revocation-ignored',
    breaks: 'a token goes on working after it was revoked',
    cases: ['oauth-token/revoke'],
    hooks: () => ({
      request: ({ path }) =>
        path === '/o/revoke_token/' ? { status: 200, headers: {}, body: Buffer.alloc(0) } : undefined,
    }),
  },
  {
    id: 'pkce-not-checked',
    breaks: 'a code that was asked for with a challenge is given for any verifier',
    cases: ['oauth-token/pkce'],
    hooks: () => ({
      request: (request) => {
        if (request.path === '/o/authorize/') {
          for (const name of ['code_challenge', 'code_challenge_method']) request.query.delete(name)
          request.url = request.method === 'GET' ? `${request.path}?${request.query.toString()}` : request.url
        }
        if (request.path !== '/o/token/') return
        const form = new URLSearchParams(request.body.toString())
        form.delete('code_verifier')
        request.body = Buffer.from(form.toString())
      },
    }),
  },
]
