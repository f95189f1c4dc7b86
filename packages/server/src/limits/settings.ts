import type { Rate } from './token-bucket.js'

// What may be changed of the limits, with the defaults that docs/limits.md shows. Pure: the setting is read by config-schema.ts.

const MIB = 1024 * 1024

/** Limits that `PRINTWARDEN_LIMITS` can change: rates, and how many of something at a time. */
export const DEFAULT_LIMITS = {
  /** A dashboard of a large farm, an app and a conformance run at once stay far below it. */
  user_requests: { perSecond: 200, burst: 2000 },
  user_requests_at_once: 64,
  /** A slicer that sends a project sends its plates side by side. */
  user_uploads_at_once: 16,
  user_sockets: 200,
  agent_requests: { perSecond: 20, burst: 400 },
  agent_sockets_opened: { perSecond: 1, burst: 300 },
  /**
   * 1000 at once, since an agent that was offline for long comes back with a full outbox, and 50 a second in the long run. Every 4 KiB
   * count as one message.
   */
  agent_messages: { perSecond: 50, burst: 1000 },
  /** Upstream agents pass on every line of the printer's terminal while somebody looks at it. */
  upstream_agent_messages: { perSecond: 250, burst: 2000 },
  /** Agents that boost send three pictures at once, then one each second or two. */
  agent_pictures: { perSecond: 5, burst: 30 },
  agent_picture_bytes: { perSecond: 4 * MIB, burst: 64 * MIB },
  /** Rare by nature. */
  agent_events: { perSecond: 1, burst: 30 },
  agent_uploads_at_once: 4,
  address_requests: { perSecond: 400, burst: 4000 },
  /** Each may hold a connection to the store of blobs while its reader is slow. Browsers have six under way. */
  address_media_at_once: 64,
  /** Clusters, balancers and monitors ask a few times a second at most. */
  address_probes: { perSecond: 50, burst: 500 },
  address_unknown_credentials: { perSecond: 20, burst: 500 },
  /** A farm behind one address comes back at once after a restart. */
  address_sockets_opened: { perSecond: 100, burst: 3000 },
  address_sockets: 5000,
  address_connections_opened: { perSecond: 200, burst: 6000 },
  address_connections: 6000,
  /** A farm behind one address shakes hands for TLS all at once after a restart. */
  address_silent_connections: 1000,
} as const satisfies Record<string, Rate | number>

export type LimitName = keyof typeof DEFAULT_LIMITS

/** Every limit with its number. */
export type LimitSettings = {
  readonly [Name in LimitName]: (typeof DEFAULT_LIMITS)[Name] extends Rate ? Rate : number
}

/** Limits that differ from the defaults, or what is wrong with the text. */
export type ParsedLimits =
  | { readonly limits: Partial<LimitSettings>; readonly problems: readonly [] }
  | { readonly limits?: never; readonly problems: readonly string[] }

/** So much that nobody meets it, so little that sums stay exact. */
const MAX = 1e12

/** Reads `name=number` for what is counted at a time and `name=per second/at once` for rates, comma-separated. */
export function parseLimits(text: string): ParsedLimits {
  const limits: Record<string, Rate | number> = {}
  const problems: string[] = []
  for (const item of text.split(',').map((part) => part.trim())) {
    if (item === '') continue
    const [name = '', value = ''] = item.split('=').map((part) => part.trim())
    if (!isLimitName(name)) {
      problems.push(`"${item}" names no limit; docs/limits.md lists them`)
      continue
    }
    const parsed = typeof DEFAULT_LIMITS[name] === 'number' ? parseCount(value) : parseRate(value)
    if (parsed !== undefined) limits[name] = parsed
    else if (typeof DEFAULT_LIMITS[name] === 'number') problems.push(`${name} must be a whole number from 1`)
    else problems.push(`${name} must be two numbers above 0, as 50/1000: per second, and at once`)
  }
  return problems.length > 0 ? { problems } : { limits, problems: [] }
}

/** A limit as `PRINTWARDEN_LIMITS` takes it. */
export const limitText = (value: Rate | number): string =>
  typeof value === 'number' ? String(value) : `${value.perSecond}/${value.burst}`

const isLimitName = (name: string): name is LimitName => Object.hasOwn(DEFAULT_LIMITS, name)

function parseCount(text: string): number | undefined {
  const value = /^\d{1,13}$/.test(text) ? Number(text) : 0
  return value >= 1 && value <= MAX ? value : undefined
}

function parseRate(text: string): Rate | undefined {
  const numbers = /^(\d{1,13}(?:\.\d{1,6})?)\/(\d{1,13})$/.exec(text)
  const [perSecond, burst] = [Number(numbers?.[1]), Number(numbers?.[2])]
  return perSecond > 0 && burst >= 1 && perSecond <= MAX && burst <= MAX ? { perSecond, burst } : undefined
}
