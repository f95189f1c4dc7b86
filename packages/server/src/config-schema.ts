import { z } from 'zod'
import { ASSISTANT_VARIABLES, problemsOfAssistant } from './config-assistant.js'
import { problemsOfRoles, ROLES, warningsOfRoles } from './config-roles.js'
import { readBlobsUrl } from './blobs-url.js'
import { parseLimits } from './limits/settings.js'
import { type AllowEntry, parseAllowEntry } from './outbound-rules.js'

// The server's configuration: names, defaults and meanings of every PRINTWARDEN_ variable. The table in docs/configuration.md is made
// from it. Pure: what reads the environment is config.ts.

const MIB = 1024 * 1024

/** A folder or file as the user wrote it; resolved against the folder the user stands in by config.ts. */
const path = z.string().min(1)

const blobsUrl = z.string().superRefine((text, context) => {
  const place = readBlobsUrl(text)
  if ('problem' in place) context.addIssue({ code: 'custom', message: place.problem })
})

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' })

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`)

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
)

const allowList = list.transform((items, context): AllowEntry[] =>
  items.flatMap((item) => {
    const entry = parseAllowEntry(item)
    if (entry === undefined) {
      const message = `"${item}" is no host name, address or CIDR block, with or without :port`
      context.addIssue({ code: 'custom', message })
    }
    return entry ?? []
  }),
)

/** One variable: how it is read, what it means, and what holds without it (in words). */
interface Variable<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema
  readonly default: string
  readonly meaning: string
}

const variable = <Schema extends z.ZodType>(
  schema: Schema,
  defaultText: string,
  meaning: string,
): Variable<Schema> => ({
  schema,
  default: defaultText,
  meaning,
})

/** Every variable of this version, without its PRINTWARDEN_ prefix. */
export const VARIABLES = {
  HOST: variable(z.string().min(1).default('0.0.0.0'), '0.0.0.0', 'listen address'),
  PORT: variable(wholeNumber(0, 65_535).default(3334), '3334', 'listen port; 0 = any free port, printed'),
  DATA_DIR: variable(path.default('./data'), './data', 'embedded database, pictures, keys; one process at a time'),
  DATABASE_URL: variable(
    z
      .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL', abort: true })
      .refine(
        (url) => URL.canParse(url) && new URL(url).pathname.length > 1,
        'must name the database, as postgres://host/name',
      )
      .optional(),
    'embedded',
    'a PostgreSQL database, as postgres://user:password@host:5432/name; see docs/deploy.md',
  ),
  REDIS_URL: variable(
    z
      .url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// URL', abort: true })
      .refine(
        (url) => URL.canParse(url) && /^\/?\d*$/.test(new URL(url).pathname),
        'may name a database by its number only',
      )
      .optional(),
    'in memory',
    'Redis, as redis://user:password@host:6379/0: commands and live values between several nodes on one PostgreSQL',
  ),
  BLOBS_URL: variable(
    blobsUrl.optional(),
    'blobs in the data folder',
    'a bucket for pictures, videos and G-code, as s3://bucket?endpoint=https://minio.example:9000&region=eu-1&prefix=farm; credentials from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; see docs/deploy.md',
  ),
  PUBLIC_URL: variable(
    httpUrl
      .transform((url) => url.replace(/\/+$/, ''))
      .refine((url) => url === new URL(url).origin, 'must be an origin, such as https://farm.example, without a path')
      .optional(),
    'the origin at which the server was claimed',
    'canonical origin, for what leaves the server by another way than an answer',
  ),
  SECRET_KEY: variable(
    z.string().min(32, 'must have at least 32 characters').optional(),
    'made once in the data folder',
    'signs and encrypts',
  ),
  TLS_CERT: variable(path.optional(), 'off', 'certificate file (PEM), to serve https itself'),
  TLS_KEY: variable(path.optional(), 'off', 'key file (PEM) of the certificate'),
  TRUSTED_PROXIES: variable(
    list
      .pipe(z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'must be addresses or CIDR blocks')))
      .optional(),
    'none',
    'addresses or CIDR blocks whose X-Forwarded-* are believed, comma-separated',
  ),
  ADMIN_EMAIL: variable(
    z.email('must be an e-mail address').optional(),
    'none',
    'makes the first administrator without the claim link',
  ),
  ADMIN_PASSWORD: variable(
    z.string().min(8, 'must have at least 8 characters').optional(),
    'none',
    'the password of that administrator',
  ),
  IMPORT_TOKEN: variable(
    z.string().optional(),
    'none',
    'for `printwarden-server import` alone: a token of the account on the other server',
  ),
  SMTP_URL: variable(
    z
      .url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL', abort: true })
      .refine((url) => URL.canParse(url) && new URL(url).hostname !== '', 'must name the mail server')
      .optional(),
    'off',
    'the mail server, as smtp://user:password@host:587?from=farm@example.org; smtps:// is TLS from the start',
  ),
  ROLES: variable(
    list.pipe(z.array(z.enum(ROLES, { error: `must be some of ${ROLES.join(', ')}` })).min(1)).default([...ROLES]),
    'web,detector,jobs',
    'what this process does; one without `web` needs Redis; see docs/deploy.md',
  ),
  DETECTOR: variable(
    path
      .refine((value) => !/^https?:/i.test(value) || isServiceUrl(value), 'is no http(s) URL of a detector')
      .optional(),
    'shipped model',
    'path of an .onnx file, or http(s)://token@host of a detection service; see docs/detectors.md',
  ),
  DETECTOR_TOKEN: variable(
    z.string().min(1).optional(),
    'none',
    'the token that a detection service asks for, unless it stands in its URL',
  ),
  DETECTOR_ORIGIN: variable(
    httpUrl
      .transform((url) => url.replace(/\/+$/, ''))
      .refine(
        (url) => url === new URL(url).origin,
        'must be an origin, such as http://printwarden:3334, without a path',
      )
      .optional(),
    'the address from which the service was asked',
    'where a detection service that fetches pictures itself finds this server',
  ),
  DETECTOR_THREADS: variable(
    wholeNumber(1, 64).default(1),
    '1',
    'threads of the detector; each takes a core when busy',
  ),
  OUTBOUND_ALLOW: variable(
    allowList.optional(),
    'none',
    'private addresses that pictures by URL, webhooks and model servers may be at: host names, addresses or CIDR blocks, each optionally with :port',
  ),
  ACCESS_TOKEN_SECONDS: variable(
    wholeNumber(60, 3_153_600_000).default(3_153_600_000),
    '3153600000',
    'lifetime of access tokens in seconds',
  ),
  MAX_GCODE_BYTES: variable(wholeNumber(1, 2 ** 40).default(1024 * MIB), '1073741824', 'largest G-code file in bytes'),
  MAX_SNAPSHOT_BYTES: variable(wholeNumber(1, 256 * MIB).default(8 * MIB), '8388608', 'largest picture in bytes'),
  VIDEO_ENCODER: variable(
    z.enum(['auto', 'ffmpeg', 'builtin', 'off']).default('auto'),
    'auto',
    'what makes time-lapses: ffmpeg, the built-in encoder (slower), the better one of these that is there (auto), or off',
  ),
  RETENTION_DAYS: variable(
    wholeNumber(1, 36_500).optional(),
    'keep',
    'days after its end for which videos and pictures of a print stay; see docs/retention.md',
  ),
  RETENTION_CANCELLED_DAYS: variable(
    wholeNumber(0, 36_500).optional(),
    'RETENTION_DAYS',
    'the same for cancelled prints; 0 = keep',
  ),
  RETENTION_FAILED_DAYS: variable(
    wholeNumber(0, 36_500).optional(),
    'RETENTION_DAYS',
    'the same for prints that failed; 0 = keep',
  ),
  HISTORY_BYTES: variable(
    wholeNumber(0, 2 ** 43).default(5 * 1024 * MIB),
    '5368709120',
    'what the small pictures of past prints may have together, in bytes; the oldest go first; 0 keeps none; see docs/detection.md',
  ),
  RETENTION_BYTES: variable(
    wholeNumber(0, 2 ** 50).optional(),
    'keep',
    'bytes that videos and pictures of all prints may take; the oldest go first',
  ),
  SMOOTHING: variable(
    z.enum(['default', 'upstream']).default('default'),
    'default',
    'how frames become an alert: default or upstream',
  ),
  DISCOVERY: variable(
    z.enum(['on', 'off']).default('on'),
    'on',
    'whether agents in the local network find this server by multicast DNS; a server that listens on loopback alone is never told of',
  ),
  LIMITS: variable(
    z
      .string()
      .transform((text, context) => {
        const { limits, problems } = parseLimits(text)
        for (const message of problems) context.addIssue({ code: 'custom', message })
        return limits ?? {}
      })
      .optional(),
    'those of docs/limits.md',
    'other limits, as user_requests=50/500,address_sockets=9000: per second and at once, or how many at a time',
  ),
  ...ASSISTANT_VARIABLES,
  LOG_LEVEL: variable(z.enum(['error', 'warn', 'info', 'debug']).default('info'), 'info', 'error, warn, info or debug'),
} as const satisfies Record<string, Variable>

function isServiceUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && url.search === '' && url.hash === ''
}

/** Variables of the specification whose feature is not there yet. Without it they change nothing, so they are only warned about. */
export const NO_EFFECT_YET = ['MQTT_URL', 'OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'ICE_SERVERS']

const PREFIX = 'PRINTWARDEN_'

type Name = keyof typeof VARIABLES

/** The configuration by variable name, parsed. */
export type Settings = { readonly [N in Name]: z.output<(typeof VARIABLES)[N]['schema']> }

/** Settings, or everything that is wrong with them. `warnings` names what was set in vain. */
export type SettingsResult =
  | { readonly settings: Settings; readonly problems: readonly []; readonly warnings: readonly string[] }
  | { readonly settings?: never; readonly problems: readonly string[] }

const settingsSchema = z.object(
  Object.fromEntries(Object.entries(VARIABLES).map(([name, { schema }]) => [name, schema])),
) as unknown as z.ZodType<Settings>

/** Reads the settings from an environment. An empty variable counts as absent. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): SettingsResult {
  const given = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[0].startsWith(PREFIX) && entry[1] !== undefined && entry[1] !== '',
  )
  const byName = Object.fromEntries(given.map(([name, value]) => [name.slice(PREFIX.length), value.trim()]))
  const problems = Object.keys(byName).flatMap(problemOfName)
  const result = settingsSchema.safeParse(byName)
  for (const issue of result.error?.issues ?? []) problems.push(`${PREFIX}${String(issue.path[0])}: ${issue.message}`)
  problems.push(...problemsOfPairs(byName), ...problemsOfFleet(byName), ...problemsOfRoles(byName, result.data?.ROLES))
  problems.push(...problemsOfAssistant(byName))
  if (!result.success || problems.length > 0) return { problems }
  const inVain = Object.keys(byName).filter((name) => NO_EFFECT_YET.includes(name))
  const warnings = inVain.map((name) => `${PREFIX}${name} has no effect in this version`)
  return { settings: result.data, problems: [], warnings: [...warnings, ...warningsOfRoles(byName, result.data.ROLES)] }
}

function problemOfName(name: string): string[] {
  if (name in VARIABLES || NO_EFFECT_YET.includes(name)) return []
  return [`${PREFIX}${name}: unknown variable${suggestion(name)}`]
}

/** The nearest known name, if one is near. */
function suggestion(name: string): string {
  const near = Object.keys(VARIABLES).find(
    (known) => known.replaceAll('_', '') === name.replaceAll('_', '') || known.startsWith(name),
  )
  return near === undefined ? '' : ` (did you mean ${PREFIX}${near}?)`
}

/** Variables that only make sense together. */
function problemsOfPairs(given: Readonly<Record<string, string>>): string[] {
  const pairs = [
    ['TLS_CERT', 'TLS_KEY'],
    ['ADMIN_EMAIL', 'ADMIN_PASSWORD'],
  ] as const
  return pairs.flatMap(([a, b]) => {
    if ((given[a] === undefined) === (given[b] === undefined)) return []
    const [missing, present] = given[a] === undefined ? [a, b] : [b, a]
    return [`${PREFIX}${missing}: is missing, but ${PREFIX}${present} is set`]
  })
}

/** Nodes of one fleet share one database and one key: with databases of their own they would take each other's printers for theirs. */
function problemsOfFleet(given: Readonly<Record<string, string>>): string[] {
  if (given['REDIS_URL'] === undefined) return []
  return ['DATABASE_URL', 'SECRET_KEY'].flatMap((name) =>
    given[name] === undefined
      ? [`${PREFIX}${name}: is missing, but ${PREFIX}REDIS_URL is set: all nodes need the same one`]
      : [],
  )
}
