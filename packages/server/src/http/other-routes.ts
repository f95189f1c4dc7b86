import type { RouteDecisions } from './access-table.js'

/**
 * Every route that is no endpoint, with who may use it. A route that is missing here stops the server from being built; a row
 * without a route fails a test.
 */
export const OTHER_ROUTES: RouteDecisions = {
  'GET /healthz': { access: 'anyone', why: 'says that the process is alive, and nothing else' },
  'GET /hc/': { access: 'anyone', why: 'the same for existing supervisors' },
  'GET /readyz': { access: 'anyone', why: 'names which part is not ready' },
  'GET /metrics': { access: 'local', why: 'counts by route; loopback without a proxy, else an administrator' },
  'GET /openapi.json': { access: 'anyone', why: 'the description of the API' },
  'GET /docs': { access: 'anyone', why: 'the same for people' },
  'GET /docs.css': { access: 'anyone', why: 'its style' },
  'GET /docs.js': { access: 'anyone', why: 'its search box' },
  'GET /media/*': {
    access: 'signature',
    why: 'pictures, videos and files, by an address that was signed for whoever may see them',
  },
  'GET /ws/agent/': { access: 'agent', why: "the agents' websocket" },
  'GET /ws/live/': {
    access: 'read',
    why: 'the live websocket of apps: a token, a session, or a ticket that was made with one',
  },
  'GET /login/': { access: 'anyone', why: 'the sign-in form' },
  'POST /login/': { access: 'anyone', why: 'signs in; wrong tries are limited' },
  'POST /logout/': { access: 'anyone', why: "ends the browser's own session, if any; own pages only" },
  'GET /claim/': { access: 'anyone', why: 'makes the first administrator; the link is the credential' },
  'POST /claim/': { access: 'anyone', why: 'the same' },
  'GET /o/authorize/': { access: 'page', why: 'asks the user whether an app may act for them' },
  'POST /o/authorize/': { access: 'page', why: "the user's answer; bound to the session and to the request" },
  'GET /o/slicer/': {
    access: 'anyone',
    why: 'hands a token in the fragment over to a slicer; the server does not see it',
  },
  'GET /o/slicer.js': { access: 'anyone', why: 'its script' },
  'POST /o/token/': { access: 'client', why: 'a code, a refresh token or the code of a device for tokens' },
  'POST /o/revoke_token/': { access: 'client', why: "ends a token of the client's own" },
  'POST /o/introspect/': { access: 'client', why: 'tells a confidential client about a token of its own' },
  'POST /o/device_authorization/': { access: 'client', why: 'begins the sign-in of a device' },
  'GET /.well-known/oauth-authorization-server': {
    access: 'anyone',
    why: 'the description of the authorization server',
  },
  'GET /device/': { access: 'page', why: 'asks for the code that a device shows' },
  'POST /device/': { access: 'page', why: 'the code, and then the answer; wrong tries are limited' },
  'GET /account/apps/': { access: 'page', why: "the user's connected apps" },
  'POST /account/apps/:id/disconnect/': { access: 'page', why: 'ends what one of them has' },
  'GET /account/tokens/': { access: 'page', why: "the user's personal access tokens" },
  'POST /account/tokens/': { access: 'page', why: 'makes one' },
  'POST /account/tokens/:id/revoke/': { access: 'page', why: 'revokes one' },
  'GET /developer/apps/*': { access: 'page', why: "the user's own apps; every app for administrators" },
  'POST /developer/apps/*': { access: 'page', why: 'registers, changes and deletes them' },
  'GET /apps.css': { access: 'anyone', why: 'the style of these pages' },
  'GET /pages.css': { access: 'anyone', why: 'the style of these forms' },
  'GET /': { access: 'anyone', why: "the dashboard's page; what it shows comes by the API" },
  'GET /index.html': { access: 'anyone', why: 'the same' },
  'GET /theme.js': { access: 'anyone', why: "the dashboard's choice of dark or light" },
  'GET /favicon.svg': { access: 'anyone', why: "the dashboard's icon" },
  'GET /assets/*': { access: 'anyone', why: "the dashboard's scripts and styles" },
}
