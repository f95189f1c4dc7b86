import { User } from '#protocol'
import type { Case } from '../run.js'
import { expectBody, expectEqual, expectHeader, expectProblem, expectStatus } from '../expect.js'
import { COSTLY_OPERATIONS, OPERATIONS, perform } from '../operations.js'

const ME = '/api/v1/users/me/'
const USING_THE_TOKEN = 'api.md §5'
const STATUS_CODES = 'api.md §7'

const withoutToken: readonly Case[] = [...OPERATIONS, ...COSTLY_OPERATIONS].map((operation) => ({
  id: `authentication/required-${operation.name}`,
  group: 'contract',
  section: 'api.md §4',
  title: `${operation.method} ${operation.path} without a token is 401`,
  async run({ anonymous, target }) {
    expectStatus(await perform(anonymous, operation, target.printer.id), 401)
  },
}))

export const authenticationCases: readonly Case[] = [
  {
    id: 'authentication/bearer',
    group: 'contract',
    section: USING_THE_TOKEN,
    title: 'A token in Authorization: Bearer is accepted as its user',
    async run({ anonymous, target }) {
      const me = expectBody(await anonymous.as(target.tokens.read).get(ME), User.pick({ email: true }))
      expectEqual(me.email, target.owner.email, 'the e-mail address')
    },
  },
  {
    id: 'authentication/api-key',
    group: 'contract',
    section: USING_THE_TOKEN,
    title: 'A token in X-API-KEY is accepted as its user',
    async run({ anonymous, target }) {
      const other = anonymous.with({ 'x-api-key': target.tokens.other })
      const me = expectBody(await other.get(ME), User.pick({ email: true }))
      expectEqual(me.email, target.other.email, 'the e-mail address')
    },
  },
  ...withoutToken,
  {
    id: 'authentication/unknown-token',
    group: 'contract',
    section: STATUS_CODES,
    title: 'A token that was never issued is 401, in either header',
    async run({ anonymous }) {
      expectStatus(await anonymous.as('no-such-token').get(ME), 401)
      expectStatus(await anonymous.with({ 'x-api-key': 'no-such-token' }).get(ME), 401)
    },
  },
  {
    id: 'authentication/expired-token',
    group: 'contract',
    section: STATUS_CODES,
    title: 'An expired token is 401',
    async run({ anonymous, target }) {
      expectStatus(await anonymous.as(target.tokens.expired).get(ME), 401)
    },
  },
  {
    id: 'authentication/revoked-token',
    group: 'contract',
    section: STATUS_CODES,
    title: 'A revoked token is 401',
    async run({ anonymous, target }) {
      expectStatus(await anonymous.as(target.tokens.revoked).get(ME), 401)
    },
  },
  {
    id: 'authentication/no-token-in-query',
    group: 'contract',
    section: USING_THE_TOKEN,
    title: 'A token in the address is not read',
    async run({ anonymous, target }) {
      expectStatus(await anonymous.get(`${ME}?access_token=${target.tokens.read}`), 401)
    },
  },
  {
    id: 'authentication/agent-token-is-no-user',
    group: 'decisions',
    section: 'decision 15',
    title: "A printer's auth_token does not open the user's API",
    async run({ anonymous, target }) {
      expectStatus(await anonymous.as(target.printer.auth_token).get('/api/v1/printers/'), 401)
    },
  },
  {
    id: 'authentication/codes',
    group: 'decisions',
    section: 'decision 3',
    title: 'Missing, expired and revoked tokens have codes of their own',
    async run({ anonymous, target }) {
      expectProblem(await anonymous.get(ME), 401, 'unauthorized')
      expectProblem(await anonymous.as(target.tokens.expired).get(ME), 401, 'token_expired')
      expectProblem(await anonymous.as(target.tokens.revoked).get(ME), 401, 'token_revoked')
    },
  },
  {
    id: 'authentication/challenge',
    group: 'decisions',
    section: 'decision 3',
    title: '401 names the scheme in WWW-Authenticate',
    async run({ anonymous }) {
      const answer = await anonymous.get(ME)
      expectStatus(answer, 401)
      const challenge = expectHeader(answer, 'www-authenticate')
      expectEqual(challenge.split(/[\s,]/)[0], 'Bearer', 'the scheme')
    },
  },
]
