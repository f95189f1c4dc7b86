import type { Clock } from '../ports.js'

/** How long a credential's owner is remembered. What is revoked is forgotten at once, through the bus. */
const LIFETIME_MS = 10_000

/** So many are remembered at most; a flood of made-up tokens must not fill the memory. */
const MAX_ENTRIES = 20_000

/** Remembers who a credential belongs to, so that a busy client does not cost a look-up for each request. */
export interface IdentityCache<Identity> {
  get(hash: string, find: () => Promise<Identity | undefined>): Promise<Identity | undefined>
  clear(): void
}

export function identityCache<Identity extends object>(clock: Clock): IdentityCache<Identity> {
  let entries = new Map<string, { readonly identity: Identity; readonly until: number }>()

  return {
    async get(hash, find) {
      const kept = entries.get(hash)
      if (kept !== undefined && kept.until > clock.now()) return kept.identity
      const before = entries
      const identity = await find()
      // Looked up before something was revoked: it may be out of date already.
      if (identity === undefined || entries !== before) return identity
      if (entries.size >= MAX_ENTRIES) entries.clear()
      entries.set(hash, { identity, until: clock.now() + LIFETIME_MS })
      return identity
    },
    clear() {
      entries = new Map()
    },
  }
}
