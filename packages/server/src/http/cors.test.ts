import { expect, test } from 'vitest'
import { corsHeaders, preflightHeaders } from './cors.js'

test.each([
  { path: '/api/v1/printers/', open: true },
  { path: '/assistant/api/me/', open: true },
  { path: '/jusprin/api/me/', open: true },
  { path: '/o/token/', open: true },
  { path: '/o/token', open: true },
  { path: '/o/revoke_token/', open: true },
  { path: '/.well-known/oauth-authorization-server', open: true },
  { path: '/openapi.json', open: true },
  { path: '/o/authorize/', open: false },
  { path: '/login/', open: false },
  { path: '/apis/', open: false },
  { path: '/assistant/', open: false },
  { path: '/o/token/x', open: false },
  { path: '/', open: false },
])('$path is open to pages of any origin: $open', ({ path, open }) => {
  expect('access-control-allow-origin' in corsHeaders(path)).toBe(open)
  expect('access-control-allow-methods' in preflightHeaders(path)).toBe(open)
  expect(corsHeaders(path)).not.toHaveProperty('access-control-allow-credentials')
})
