import type { Access, Endpoint } from '@printwarden/protocol'
import { ProblemDetails } from '@printwarden/protocol'
import { Components, type Json } from './openapi-components.js'
import { bodyOf, parametersOf } from './openapi-request.js'
import { headerComponents, responsesOf } from './openapi-responses.js'

const DESCRIPTION = `Watches 3D printers: state, prints, failure detection, remote control.

Authenticate with \`Authorization: Bearer <token>\` or \`X-API-KEY: <token>\`. \`GET\` needs the scope \`read\`, everything else \`write\`; \`write\`
does not imply \`read\`. Checks come in this order: 401, 403, 404, 400. What is another's and what is missing answer with the same bytes.

Errors are problem details (RFC 9457) with a stable \`code\`. Fields and query parameters that are not known are ignored. Paths work with and
without the slash at the end. Lists carry \`X-Total-Count\`, and \`Link\` where there is a next or previous page.

Live updates come by websocket at \`/ws/live/\`.`

/** The OpenAPI 3.1 document of these endpoints. */
export function openApiDocument(endpoints: Readonly<Record<string, Endpoint>>, version: string): Json {
  const components = new Components()
  const paths: Record<string, Json> = {}
  // First, so that answers can refer to it.
  components.refer(ProblemDetails, 'output')
  const all = Object.values(endpoints)
  for (const endpoint of all) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint, components) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Printwarden',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(all.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components.schemas,
      responses: components.responses,
      headers: headerComponents(),
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

const SECURITY_SCHEMES = {
  oauth2: {
    type: 'oauth2',
    description: 'An app on behalf of a user.',
    flows: {
      authorizationCode: {
        authorizationUrl: '/o/authorize/',
        tokenUrl: '/o/token/',
        scopes: {
          read: 'read access to user data and printer information',
          write: 'modify settings, upload files, control printers',
        },
      },
    },
  },
  bearer: { type: 'http', scheme: 'bearer', description: 'An access token of a user.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY', description: 'The same access token.' },
  session: { type: 'apiKey', in: 'cookie', name: 'printwarden_session', description: 'A signed-in browser.' },
  agent: { type: 'http', scheme: 'bearer', description: "A printer's `auth_token`." },
}

function operationOf(endpoint: Endpoint, components: Components): Json {
  const parameters = parametersOf(endpoint, components)
  const requestBody = bodyOf(endpoint, components)
  const description = [endpoint.description, NEEDS[endpoint.access]].filter((text) => text !== undefined).join('\n\n')
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description,
    security: SECURITY[endpoint.access],
    'x-access': endpoint.access,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: responsesOf(endpoint, components),
  }
}

const ofUser = (scope: string): Json[] => [
  { oauth2: [scope] },
  { bearer: [scope] },
  { apiKey: [scope] },
  { session: [] },
]

const SECURITY: Record<Access, Json[]> = {
  read: ofUser('read'),
  write: ofUser('write'),
  admin: ofUser('write'),
  session: [{ session: [] }],
  agent: [{ agent: [] }],
  read_or_agent: [...ofUser('read'), { agent: [] }],
  anyone: [],
}

const NEEDS: Record<Access, string> = {
  read: 'Needs the scope `read`.',
  write: 'Needs the scope `write`.',
  admin: 'Needs the scope `write` of an administrator.',
  session: 'Needs a signed-in browser.',
  agent: "Needs a printer's `auth_token`.",
  read_or_agent: "Needs the scope `read`, or a printer's `auth_token`.",
  anyone: 'Needs no credential.',
}
