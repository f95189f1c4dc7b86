import { z } from 'zod'
import { AccountLink, AccountSession, Invitation, MadeInvitation, SecurityEvent } from '../account.js'
import { defineEndpoint } from '../endpoint.js'
import { Email } from './admin.js'
import { id, idParams, queryLimit } from './shared.js'

/** How many events are answered at most. */
export const MAX_SECURITY_EVENTS = 500

export const listSecurityEvents = defineEndpoint({
  id: 'listSecurityEvents',
  method: 'GET',
  path: '/api/v1/users/me/security_events/',
  tag: 'user',
  summary: 'What happened to your account',
  description:
    'Newest first. `limit` is 100 unless given, at most 500; `before` is an id, from below which the list goes on. Events are kept for 400 days.',
  access: 'read',
  query: z.object({ limit: queryLimit(MAX_SECURITY_EVENTS).optional(), before: id.optional() }),
  output: z.array(SecurityEvent),
  headers: ['x-total-count', 'link'],
})

export const listSessions = defineEndpoint({
  id: 'listSessions',
  method: 'GET',
  path: '/api/v1/users/me/sessions/',
  tag: 'user',
  summary: 'The browsers in which you are signed in',
  access: 'session',
  output: z.array(AccountSession),
})

export const endSession = defineEndpoint({
  id: 'endSession',
  method: 'DELETE',
  path: '/api/v1/users/me/sessions/:id/',
  tag: 'user',
  summary: 'Sign a browser out',
  description: 'Its live connections are closed at once.',
  access: 'session',
  params: idParams,
})

export const signOutEverywhere = defineEndpoint({
  id: 'signOutEverywhere',
  method: 'POST',
  path: '/api/v1/users/me/sign_out_everywhere/',
  tag: 'user',
  summary: 'Sign every browser out, this one too',
  description: 'Access tokens and connected apps stay as they are.',
  access: 'session',
})

export const rotateAuthToken = defineEndpoint({
  id: 'rotateAuthToken',
  method: 'POST',
  path: '/api/v1/printers/:id/rotate_auth_token/',
  tag: 'printers',
  summary: "Replace a printer's auth_token",
  description:
    'The old one ends at once: the agent is disconnected (4401) and needs the new one. Of use when a token or app that could read it is no longer trusted.',
  access: 'write',
  params: idParams,
  output: z.object({ id: z.int().positive(), auth_token: z.string() }).meta({ id: 'RotatedAuthToken' }),
})

const admin = 'administration'

export const listInvitations = defineEndpoint({
  id: 'listInvitations',
  method: 'GET',
  path: '/api/v1/admin/invitations/',
  tag: admin,
  summary: 'Invitations that nobody has used yet',
  access: 'admin',
  output: z.array(Invitation),
})

export const createInvitation = defineEndpoint({
  id: 'createInvitation',
  method: 'POST',
  path: '/api/v1/admin/invitations/',
  tag: admin,
  summary: 'Invite somebody to make an account',
  description:
    'The link works once, within seven days, and is told only here. With an address, and when the server can send mail, it is mailed there too.',
  access: 'admin',
  body: z.object({ email: Email.optional(), is_admin: z.boolean().optional() }).meta({ id: 'NewInvitation' }),
  status: 201,
  output: MadeInvitation,
  errors: ['conflict'],
})

export const deleteInvitation = defineEndpoint({
  id: 'deleteInvitation',
  method: 'DELETE',
  path: '/api/v1/admin/invitations/:id/',
  tag: admin,
  summary: 'Take an invitation back',
  access: 'admin',
  params: idParams,
})

export const createPasswordResetLink = defineEndpoint({
  id: 'createPasswordResetLink',
  method: 'POST',
  path: '/api/v1/admin/users/:id/password_reset/',
  tag: admin,
  summary: 'A link by which an account gets a new password',
  description: 'It works once, within an hour. Setting the password ends the sessions of the account.',
  access: 'admin',
  params: idParams,
  status: 201,
  output: AccountLink,
})

export const removeTwoStep = defineEndpoint({
  id: 'removeTwoStep',
  method: 'POST',
  path: '/api/v1/admin/users/:id/remove_two_step/',
  tag: admin,
  summary: 'Let an account sign in by its password alone',
  description: 'For somebody who lost both the authenticator and the recovery codes. Ends the sessions of the account.',
  access: 'admin',
  params: idParams,
})
