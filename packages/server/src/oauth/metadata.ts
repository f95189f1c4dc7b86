import { SCOPES } from '@printwarden/protocol'
import { GRANT_TYPES } from './checks.js'

/** The server's description of itself (RFC 8414). */
export function serverMetadata(issuer: string): Record<string, unknown> {
  const clientAuthentication = ['client_secret_basic', 'client_secret_post', 'none']
  return {
    issuer,
    authorization_endpoint: `${issuer}/o/authorize/`,
    token_endpoint: `${issuer}/o/token/`,
    revocation_endpoint: `${issuer}/o/revoke_token/`,
    introspection_endpoint: `${issuer}/o/introspect/`,
    device_authorization_endpoint: `${issuer}/o/device_authorization/`,
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: GRANT_TYPES,
    token_endpoint_auth_methods_supported: clientAuthentication,
    revocation_endpoint_auth_methods_supported: clientAuthentication,
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${issuer}/docs`,
  }
}
