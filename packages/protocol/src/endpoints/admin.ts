import { z } from 'zod'
import { defineEndpoint } from '../endpoint.js'
import { Timestamp } from '../resources.js'
import { idParams } from './shared.js'

const tag = 'administration'

/** An account as an administrator sees it. */
export const Account = z
  .object({
    id: z.int().positive(),
    email: z.string(),
    is_admin: z.boolean(),
    disabled_at: Timestamp.nullable(),
    date_joined: Timestamp,
    last_active_at: Timestamp.nullable(),
    printer_count: z.int(),
    /** −1 = unlimited. */
    ai_credit_free_monthly_quota: z.int(),
  })
  .meta({ id: 'Account' })
export type Account = z.infer<typeof Account>

/** An e-mail address as the name of an account. */
export const Email = z.email().max(254)

/** A password: long enough to be worth hashing, short enough that hashing it is no attack. */
export const Password = z.string().min(8).max(256)

export const adminSignIn = defineEndpoint({
  id: 'adminSignIn',
  method: 'POST',
  path: '/api/v1/admin/sign_in/',
  tag,
  summary: 'A short-lived token for an administrator',
  description:
    'For programs that administer the server with an e-mail address and a password. Wrong tries are limited as on the sign-in page. An account that signs in in two steps needs `code`; without it the answer is 401 with an issue at `code`.',
  access: 'anyone',
  body: z
    .object({
      email: z.string().max(254),
      password: z.string().max(256),
      /** Of the authenticator, or a recovery code: needed where the account signs in in two steps. */
      code: z.string().max(100).optional(),
    })
    .meta({ id: 'AdminSignIn' }),
  output: z.object({ access_token: z.string(), expires_in: z.int() }).meta({ id: 'AdminToken' }),
  errors: ['unauthorized', 'insufficient_scope', 'rate_limited'],
})

export const listAccounts = defineEndpoint({
  id: 'listAccounts',
  method: 'GET',
  path: '/api/v1/admin/users/',
  tag,
  summary: 'List accounts',
  access: 'admin',
  output: z.array(Account),
})

export const createAccount = defineEndpoint({
  id: 'createAccount',
  method: 'POST',
  path: '/api/v1/admin/users/',
  tag,
  summary: 'Add an account',
  access: 'admin',
  body: z.object({ email: Email, password: Password, is_admin: z.boolean().optional() }).meta({ id: 'NewAccount' }),
  status: 201,
  output: Account,
  errors: ['conflict'],
})

export const updateAccount = defineEndpoint({
  id: 'updateAccount',
  method: 'PATCH',
  path: '/api/v1/admin/users/:id/',
  tag,
  summary: 'Change an account: rights, disabled or not, password, AI credits',
  description: 'Disabling an account or setting its password ends its sessions; disabling also stops its tokens.',
  access: 'admin',
  params: idParams,
  body: z
    .object({
      is_admin: z.boolean(),
      disabled: z.boolean(),
      password: Password,
      /** AI credits a month; −1 = unlimited. */
      ai_credit_free_monthly_quota: z.int().min(-1).max(1_000_000),
    })
    .partial()
    .meta({ id: 'AccountChanges' }),
  output: Account,
  errors: ['conflict'],
})

export const issueToken = defineEndpoint({
  id: 'issueToken',
  method: 'POST',
  path: '/api/v1/admin/tokens/',
  tag,
  summary: 'Issue an access token for an account',
  access: 'admin',
  body: z.object({ email: Email, scope: z.string(), name: z.string().max(100).optional() }).meta({ id: 'NewToken' }),
  status: 201,
  output: z
    .object({ access_token: z.string(), token_type: z.literal('Bearer'), scope: z.string(), expires_in: z.int() })
    .meta({ id: 'IssuedToken' }),
})

export const revokeToken = defineEndpoint({
  id: 'revokeToken',
  method: 'POST',
  path: '/api/v1/admin/tokens/revoke/',
  tag,
  summary: 'Revoke a token',
  description: 'An unknown token is no error.',
  access: 'admin',
  body: z.object({ token: z.string() }).meta({ id: 'TokenToRevoke' }),
})

export const addClient = defineEndpoint({
  id: 'addClient',
  method: 'POST',
  path: '/api/v1/admin/clients/',
  tag,
  summary: 'Register an OAuth client',
  description:
    'A confidential client gets a secret, told only here. Redirect URIs are absolute and without a fragment; schemes other than http and https are for public clients.',
  access: 'admin',
  body: z
    .object({
      name: z.string().min(1).max(100),
      description: z.string().max(1000).optional(),
      type: z.enum(['confidential', 'public']),
      redirect_uris: z.array(z.string().max(2000)).min(1).max(50),
    })
    .meta({ id: 'NewClient' }),
  status: 201,
  output: z
    .object({
      client_id: z.string(),
      client_secret: z.string().nullable(),
      name: z.string(),
      type: z.enum(['confidential', 'public']),
      redirect_uris: z.array(z.string()),
    })
    .meta({ id: 'AddedClient' }),
})

export const addPrinterFor = defineEndpoint({
  id: 'addPrinterFor',
  method: 'POST',
  path: '/api/v1/admin/printers/',
  tag,
  summary: 'Add a printer to an account',
  access: 'admin',
  body: z.object({ email: Email, name: z.string().min(1).max(256) }).meta({ id: 'NewPrinterFor' }),
  status: 201,
  output: z.object({ id: z.int(), name: z.string(), auth_token: z.string() }).meta({ id: 'AddedPrinter' }),
})

const credentials = z.object({ email: z.string(), password: z.string() })
const printerToken = z.object({ id: z.int(), auth_token: z.string() })

/** Everything a conformance run needs: the file `target.json`. */
export const ConformanceTarget = z
  .object({
    base_url: z.url(),
    agent_ws_url: z.url(),
    owner: credentials,
    other: credentials,
    tokens: z.object({
      read_write: z.string(),
      read: z.string(),
      write: z.string(),
      other: z.string(),
      expired: z.string(),
      revoked: z.string(),
    }),
    clients: z.object({
      confidential: z.object({ client_id: z.string(), client_secret: z.string(), redirect_uri: z.string() }),
      public: z.object({ client_id: z.string(), redirect_uri: z.string() }),
    }),
    printer: printerToken,
    other_printer: printerToken,
    disposable_printers: z.array(printerToken),
  })
  .meta({ id: 'ConformanceTarget' })
export type ConformanceTarget = z.infer<typeof ConformanceTarget>

export const seed = defineEndpoint({
  id: 'seed',
  method: 'POST',
  path: '/api/v1/admin/seed/',
  tag,
  summary: 'Make two accounts, tokens, clients and printers for a conformance run',
  access: 'admin',
  status: 201,
  output: ConformanceTarget,
})
