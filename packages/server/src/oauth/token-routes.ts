import { parseScopes } from '@printwarden/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { OAuthError } from '../errors.js'
import { checkScope, required } from './checks.js'
import { type Client, clientOf } from './client.js'
import { checkClientSecret, clientCredentials } from './client-credentials.js'
import type { ClientFlow } from './client-flow.js'
import type { DeviceFlow } from './device-flow.js'
import type { exchangeFlow } from './exchange-flow.js'
import type { IntrospectionFlow } from './introspection-flow.js'
import { serverMetadata } from './metadata.js'
import { type OAuthParameters, readParameters } from './parameters.js'
import { whenceOf } from '../users/whence.js'
import type { RevocationFlow } from './revocation-flow.js'

export interface TokenRoutesDeps {
  readonly clients: ClientFlow
  readonly exchanges: ReturnType<typeof exchangeFlow>
  readonly revocations: RevocationFlow
  readonly introspections: IntrospectionFlow
  readonly devices: DeviceFlow
  readonly secrets: { hash(text: string): string }
  readonly issuerOf: (request: FastifyRequest) => string
}

/** Forms of apps are small. */
const FORM = { bodyLimit: 64 * 1024 }

/** What apps call without a browser. Errors are OAuth's own (RFC 6749, section 5.2). */
export function tokenRoutes(app: FastifyInstance, deps: TokenRoutesDeps): void {
  const { clients, exchanges, revocations, introspections, devices, secrets, issuerOf } = deps

  /** Registers what a client that proved itself may post. Nothing here is ever kept by a cache. */
  function route(
    path: string,
    answer: (client: Client, form: OAuthParameters, request: FastifyRequest) => Promise<unknown>,
  ): void {
    app.post(path, { ...FORM, onRequest: async (request) => checkForm(request) }, async (request, reply) => {
      const form = readParameters(request.body)
      const problem = form.problem()
      if (problem !== undefined) throw new OAuthError('invalid_request', false, `The parameter ${problem}.`)
      const { clientId, secret } = clientCredentials(request.headers.authorization, form)
      const row = await clients.find(clientId)
      const client = checkClientSecret(row === undefined ? undefined : clientOf(row), secret, (text) =>
        secrets.hash(text),
      )
      const body = await answer(client, form, request)
      void reply.header('cache-control', 'no-store').header('pragma', 'no-cache')
      if (body === undefined) return reply.code(200).header('content-length', '0').send('')
      return reply.type('application/json').send(Buffer.from(JSON.stringify(body)))
    })
  }

  route('/o/token/', (client, form) => exchanges.exchange(client, form))

  route('/o/revoke_token/', (client, form, request) =>
    revocations.revokeOwn(client, required('token', form.get('token')), whenceOf(request)),
  )

  route('/o/introspect/', (client, form, request) => {
    if (client.type !== 'confidential') {
      throw new OAuthError('invalid_client', false, 'Only a client with a secret may introspect.')
    }
    return introspections.introspect(client, required('token', form.get('token')), issuerOf(request))
  })

  route('/o/device_authorization/', async (client, form, request) => {
    if (client.is_slicer) throw new OAuthError('unauthorized_client', false, 'This client signs in otherwise.')
    const begun = await devices.begin(client, parseScopes(checkScope(form.get('scope')).join(' ')))
    const verification_uri = `${issuerOf(request)}/device/`
    const { device_code, user_code, expires_in, interval } = begun
    const verification_uri_complete = `${verification_uri}?user_code=${user_code}`
    return { device_code, user_code, verification_uri, verification_uri_complete, expires_in, interval }
  })

  app.get('/.well-known/oauth-authorization-server', async (request, reply) =>
    reply
      .header('cache-control', 'public, max-age=300')
      .type('application/json')
      .send(Buffer.from(JSON.stringify(serverMetadata(issuerOf(request))))),
  )
}

/** The body must be a form, in UTF-8 if it says anything (section 5, step 4). */
function checkForm({ headers }: FastifyRequest): void {
  const [type = '', ...parts] = (headers['content-type'] ?? '').toLowerCase().split(';')
  const charset = /^\s*charset\s*=\s*"?([\w-]+)"?\s*$/.exec(parts.find((part) => part.includes('charset')) ?? '')?.[1]
  const isForm = type.trim() === 'application/x-www-form-urlencoded'
  if (!isForm || (charset !== undefined && charset !== 'utf-8' && charset !== 'us-ascii')) {
    throw new OAuthError('invalid_request', false, 'The body must be application/x-www-form-urlencoded in UTF-8.')
  }
}
