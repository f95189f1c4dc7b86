import { z } from 'zod'
import { Timestamp } from './resources.js'

/** Client ids of slicers that sign in by the implicit grant (decision 14). An administrator lets them in; without that they are unknown. */
export const SLICER_CLIENT_IDS = ['OrcaSlicer'] as const

/** `confidential`: runs on a server and keeps a secret. `public`: runs with its user, as mobile and single-page apps do. */
export const ClientType = z.enum(['confidential', 'public'])
export type ClientType = z.infer<typeof ClientType>

const appName = z.string().trim().min(1).max(100)
const appDescription = z.string().trim().max(1000)
const redirectUris = z.array(z.string().max(2000)).min(1).max(50)

/** An app that is registered to sign users in. */
export const OAuthApp = z
  .object({
    id: z.int().positive(),
    client_id: z.string(),
    name: z.string(),
    description: z.string(),
    type: ClientType,
    redirect_uris: z.array(z.string()),
    require_pkce: z.boolean(),
    created_at: Timestamp,
    /** E-mail address of who registered it; null for the operator's own. */
    owner: z.string().nullable(),
    /** How many people it is connected to. */
    user_count: z.int(),
    last_used_at: Timestamp.nullable(),
  })
  .meta({ id: 'OAuthApp' })
export type OAuthApp = z.infer<typeof OAuthApp>

/** What a developer says about a new app. */
export const NewOAuthApp = z
  .object({ name: appName, description: appDescription.optional(), type: ClientType, redirect_uris: redirectUris })
  .meta({ id: 'NewOAuthApp' })
export type NewOAuthApp = z.infer<typeof NewOAuthApp>

/** What can be changed about an app. */
export const OAuthAppChanges = z
  .object({ name: appName, description: appDescription, redirect_uris: redirectUris })
  .partial()
  .meta({ id: 'OAuthAppChanges' })
export type OAuthAppChanges = z.infer<typeof OAuthAppChanges>

/** A new app with its secret, which is told only now; null for a public app. */
export const RegisteredOAuthApp = OAuthApp.extend({ client_secret: z.string().nullable() }).meta({
  id: 'RegisteredOAuthApp',
})

/** A new secret, told only now. */
export const RotatedSecret = z
  .object({ client_id: z.string(), client_secret: z.string() })
  .meta({ id: 'RotatedSecret' })

/** An app that may act for the user. */
export const ConnectedApp = z
  .object({
    id: z.int().positive(),
    client_id: z.string(),
    name: z.string(),
    description: z.string(),
    /** Space-separated. */
    scope: z.string(),
    connected_at: Timestamp,
    last_used_at: Timestamp.nullable(),
  })
  .meta({ id: 'ConnectedApp' })
export type ConnectedApp = z.infer<typeof ConnectedApp>

/** A personal access token: one that the user, or an administrator, made by hand. The token itself is told only once. */
export const PersonalToken = z
  .object({
    id: z.int().positive(),
    name: z.string().nullable(),
    scope: z.string(),
    created_at: Timestamp,
    expires_at: Timestamp.nullable(),
    last_used_at: Timestamp.nullable(),
  })
  .meta({ id: 'PersonalToken' })
export type PersonalToken = z.infer<typeof PersonalToken>

/** The longest life of a personal access token. */
export const MAX_TOKEN_DAYS = 3650

/** What a new personal access token is for. Without `expires_in_days` it never expires. */
export const NewPersonalToken = z
  .object({
    name: appName,
    scope: z.enum(['read', 'write', 'read write']),
    expires_in_days: z.int().min(1).max(MAX_TOKEN_DAYS).nullable().optional(),
  })
  .meta({ id: 'NewPersonalToken' })
export type NewPersonalToken = z.infer<typeof NewPersonalToken>

/** A new personal access token, told only now. */
export const MadePersonalToken = PersonalToken.extend({ access_token: z.string() }).meta({ id: 'MadePersonalToken' })

/** A token of anybody, as an administrator sees it: `app` is null for a personal access token. */
export const AccountToken = PersonalToken.extend({ email: z.string(), app: z.string().nullable() }).meta({
  id: 'AccountToken',
})
export type AccountToken = z.infer<typeof AccountToken>
