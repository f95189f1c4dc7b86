import { z } from 'zod'
import { defineEndpoint } from '../endpoint.js'
import {
  AccountToken,
  ConnectedApp,
  MadePersonalToken,
  NewOAuthApp,
  NewPersonalToken,
  OAuthApp,
  OAuthAppChanges,
  PersonalToken,
  RegisteredOAuthApp,
  RotatedSecret,
  SLICER_CLIENT_IDS,
} from '../oauth.js'
import { idParams } from './shared.js'

// What a user manages here needs a signed-in browser: an app that holds a token must not make itself another one that outlives it.

const tag = 'apps and tokens'

export const listOAuthApps = defineEndpoint({
  id: 'listOAuthApps',
  method: 'GET',
  path: '/api/v1/oauth/apps/',
  tag,
  summary: 'The apps that you registered',
  access: 'session',
  output: z.array(OAuthApp),
})

export const createOAuthApp = defineEndpoint({
  id: 'createOAuthApp',
  method: 'POST',
  path: '/api/v1/oauth/apps/',
  tag,
  summary: 'Register an app',
  description:
    'A confidential app gets a secret, told only here. A public one must use PKCE. Redirect URIs are absolute and without a fragment; schemes other than http and https are for public apps.',
  access: 'session',
  body: NewOAuthApp,
  status: 201,
  output: RegisteredOAuthApp,
  errors: ['conflict'],
})

export const getOAuthApp = defineEndpoint({
  id: 'getOAuthApp',
  method: 'GET',
  path: '/api/v1/oauth/apps/:id/',
  tag,
  summary: 'One app that you registered',
  access: 'session',
  params: idParams,
  output: OAuthApp,
})

export const updateOAuthApp = defineEndpoint({
  id: 'updateOAuthApp',
  method: 'PATCH',
  path: '/api/v1/oauth/apps/:id/',
  tag,
  summary: 'Change an app: name, description, redirect URIs',
  access: 'session',
  params: idParams,
  body: OAuthAppChanges,
  output: OAuthApp,
})

export const deleteOAuthApp = defineEndpoint({
  id: 'deleteOAuthApp',
  method: 'DELETE',
  path: '/api/v1/oauth/apps/:id/',
  tag,
  summary: 'Delete an app and everything that was issued to it',
  access: 'session',
  params: idParams,
})

export const rotateOAuthAppSecret = defineEndpoint({
  id: 'rotateOAuthAppSecret',
  method: 'POST',
  path: '/api/v1/oauth/apps/:id/rotate_secret/',
  tag,
  summary: 'Replace the secret of an app',
  description:
    'The old secret is of no use from then on. What was issued before stays valid. A public app has no secret: 409.',
  access: 'session',
  params: idParams,
  output: RotatedSecret,
  errors: ['conflict'],
})

export const listConnectedApps = defineEndpoint({
  id: 'listConnectedApps',
  method: 'GET',
  path: '/api/v1/oauth/connections/',
  tag,
  summary: 'The apps that may act for you',
  access: 'session',
  output: z.array(ConnectedApp),
})

export const disconnectApp = defineEndpoint({
  id: 'disconnectApp',
  method: 'DELETE',
  path: '/api/v1/oauth/connections/:id/',
  tag,
  summary: 'Disconnect an app: its tokens for your account end at once',
  access: 'session',
  params: idParams,
})

export const listPersonalTokens = defineEndpoint({
  id: 'listPersonalTokens',
  method: 'GET',
  path: '/api/v1/oauth/tokens/',
  tag,
  summary: 'Your personal access tokens',
  access: 'session',
  output: z.array(PersonalToken),
})

export const createPersonalToken = defineEndpoint({
  id: 'createPersonalToken',
  method: 'POST',
  path: '/api/v1/oauth/tokens/',
  tag,
  summary: 'Make a personal access token, told only here',
  access: 'session',
  body: NewPersonalToken,
  status: 201,
  output: MadePersonalToken,
  errors: ['conflict'],
})

export const revokePersonalToken = defineEndpoint({
  id: 'revokePersonalToken',
  method: 'DELETE',
  path: '/api/v1/oauth/tokens/:id/',
  tag,
  summary: 'Revoke a personal access token and close its connections',
  access: 'session',
  params: idParams,
})

const clientParams = z.object({ client_id: z.string().min(1).max(100) })

export const listClients = defineEndpoint({
  id: 'listClients',
  method: 'GET',
  path: '/api/v1/admin/clients/',
  tag,
  summary: 'Every registered app',
  access: 'admin',
  output: z.array(OAuthApp),
})

export const removeClient = defineEndpoint({
  id: 'removeClient',
  method: 'DELETE',
  path: '/api/v1/admin/clients/:client_id/',
  tag,
  summary: 'Delete any app and everything that was issued to it',
  access: 'admin',
  params: clientParams,
})

export const rotateClientSecret = defineEndpoint({
  id: 'rotateClientSecret',
  method: 'POST',
  path: '/api/v1/admin/clients/:client_id/rotate_secret/',
  tag,
  summary: 'Replace the secret of any app',
  access: 'admin',
  params: clientParams,
  output: RotatedSecret,
  errors: ['conflict'],
})

export const allowSlicer = defineEndpoint({
  id: 'allowSlicer',
  method: 'POST',
  path: '/api/v1/admin/slicers/',
  tag,
  summary: 'Let a slicer with a fixed client id sign users in by the implicit grant',
  description: 'Off until this is called; deleting the app ends it. Allowing it twice changes nothing.',
  access: 'admin',
  body: z.object({ client_id: z.enum(SLICER_CLIENT_IDS) }).meta({ id: 'SlicerToAllow' }),
  status: 201,
  output: OAuthApp,
})

export const listTokens = defineEndpoint({
  id: 'listTokens',
  method: 'GET',
  path: '/api/v1/admin/tokens/',
  tag,
  summary: 'Valid tokens of everybody or of one account, newest first',
  access: 'admin',
  query: z.object({ email: z.string().max(254).optional() }),
  output: z.array(AccountToken),
})

export const revokeTokenById = defineEndpoint({
  id: 'revokeTokenById',
  method: 'DELETE',
  path: '/api/v1/admin/tokens/:id/',
  tag,
  summary: "Revoke anybody's token and close its connections",
  access: 'admin',
  params: idParams,
})
