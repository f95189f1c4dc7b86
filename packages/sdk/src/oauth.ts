// The entry of @printwarden/sdk/oauth: signing users in, for apps of others.
export { type AuthorizeOptions, createOAuth, type OAuth, type OAuthOptions } from './oauth-client.js'
export type { DeviceCode, DeviceOptions } from './oauth-device.js'
export { OAuthError, type OAuthErrorCode } from './oauth-error.js'
export { memoryStorage, type TokenStorage, webStorage } from './oauth-storage.js'
export type { Tokens } from './oauth-tokens.js'
export type { TokenSource } from './token-source.js'
