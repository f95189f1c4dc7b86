import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { ModelTarget } from './assistant/model.js'
import type { Settings } from './config-schema.js'
import { readSettings } from './config-schema.js'
import type { LimitSettings } from './limits/settings.js'
import type { RetentionLimits } from './timelapse/retention.js'
import type { AllowEntry } from './outbound-rules.js'

/** The configuration cannot be used; `problems` lists everything that is wrong, a line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'))
  }
}

/** Everything that can be set, with absolute paths. */
export interface Config {
  readonly host: string
  readonly port: number
  readonly dataDir: string
  /** A PostgreSQL database; undefined means the embedded one. */
  readonly databaseUrl: string | undefined
  /** Redis between several nodes; undefined when this one is alone. */
  readonly redisUrl: string | undefined
  /** Of a bucket; undefined: a folder in the data folder. */
  readonly blobsUrl: string | undefined
  readonly publicUrl: string | undefined
  readonly secretKey: string | undefined
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  readonly trustedProxies: readonly string[]
  readonly admin: { readonly email: string; readonly password: string } | undefined
  readonly smtpUrl: string | undefined
  readonly roles: readonly ('web' | 'detector' | 'jobs')[]
  /** Path of an .onnx file, or URL of a detection service; undefined means the shipped model. */
  readonly detector: string | undefined
  readonly detectorToken: string | undefined
  readonly detectorOrigin: string | undefined
  readonly detectorThreads: number
  readonly outboundAllow: readonly AllowEntry[]
  readonly accessTokenSeconds: number
  readonly maxGCodeBytes: number
  readonly maxSnapshotBytes: number
  readonly smoothing: 'default' | 'upstream'
  readonly videoEncoder: 'auto' | 'ffmpeg' | 'builtin' | 'off'
  readonly retention: RetentionLimits
  /** What the small pictures of past prints may have together. */
  readonly historyBytes: number
  /** Whether it tells of itself in the local network. */
  /** Limits that differ from the documented ones. */
  readonly limits: Partial<LimitSettings>
  readonly discovery: boolean
  readonly assistant: AssistantConfig
  /** Where support requests go: an e-mail address or an http(s) URL; undefined when they are only kept. */
  readonly supportAddress: string | undefined
  readonly logLevel: 'error' | 'warn' | 'info' | 'debug'
  /** What was set in vain. */
  readonly warnings: readonly string[]
}

/** The assistant's models; both undefined when there is none. */
export interface AssistantConfig {
  readonly text: ModelTarget | undefined
  readonly vision: ModelTarget | undefined
  readonly timeoutMs: number
  /** Credits a month of accounts without a quota of their own; −1 = unlimited. */
  readonly monthlyCredits: number
}

/** The folder the user stands in: npm changes the working folder, and tells where it was called from. */
export function userFolder(): string {
  return process.env['INIT_CWD'] ?? process.cwd()
}

/** The address and administrator that administration commands use when no option names others. */
export function commandDefaults(envFile?: string): { email?: string; password?: string } {
  const environment = readEnvironment(envFile)
  const email = environment['PRINTWARDEN_ADMIN_EMAIL']
  const password = environment['PRINTWARDEN_ADMIN_PASSWORD']
  return { ...(email === undefined ? {} : { email }), ...(password === undefined ? {} : { password }) }
}

/** The token of the server that is imported from, unless an option gives it. */
export function importToken(envFile?: string): string | undefined {
  return readEnvironment(envFile)['PRINTWARDEN_IMPORT_TOKEN']
}

/**
 * Reads the configuration: the environment, and below it the `.env` file of the user's folder or the file that is named.
 *
 * @throws {ConfigError} with every problem at once
 */
export function loadConfig(envFile?: string): Config {
  const result = readSettings(readEnvironment(envFile))
  if (result.settings === undefined) throw new ConfigError(result.problems)
  const config = { ...toConfig(result.settings), warnings: result.warnings }
  const missing = missingFiles(config)
  if (missing.length > 0) throw new ConfigError(missing)
  return config
}

/**
 * Files that are named must be there: a server without its certificate is not what was asked for. Not so the detector's model: without
 * it the printers are still shown, and readyz and every printer say that nobody watches.
 */
function missingFiles({ tls }: Config): string[] {
  const named = { TLS_CERT: tls?.cert, TLS_KEY: tls?.key }
  return Object.entries(named).flatMap(([name, file]) =>
    file === undefined || existsSync(file) ? [] : [`PRINTWARDEN_${name}: there is no file ${file}`],
  )
}

function readEnvironment(envFile: string | undefined): Record<string, string | undefined> {
  const ofFile = readEnvFile(envFile)
  forTheAwsSdk({ ...QUIET_AWS_SDK, ...ofFile })
  return { ...ofFile, ...process.env }
}

function readEnvFile(envFile: string | undefined): Record<string, string | undefined> {
  const path = resolve(userFolder(), envFile ?? '.env')
  if (existsSync(path)) return { ...parseEnv(readFileSync(path, 'utf8')) }
  if (envFile === undefined) return {}
  throw new ConfigError([`--env-file ${envFile}: there is no such file`])
}

/** Which Node a later SDK will want is for whoever updates the SDK, not for operators at each start. */
const QUIET_AWS_SDK = { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' }

/** AWS variables, those of the file too, go where the SDK reads them by itself, below those that are there already. */
function forTheAwsSdk(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables)) if (name.startsWith('AWS_')) process.env[name] ??= value
}

function retentionOf(settings: Settings): RetentionLimits {
  const days = settings.RETENTION_DAYS
  // An outcome may be kept for ever although others are not.
  const ofOutcome = (own: number | undefined): number | undefined => (own === 0 ? undefined : (own ?? days))
  return {
    finishedDays: days,
    cancelledDays: ofOutcome(settings.RETENTION_CANCELLED_DAYS),
    failedDays: ofOutcome(settings.RETENTION_FAILED_DAYS),
    bytes: settings.RETENTION_BYTES,
  }
}

function toConfig(settings: Settings): Omit<Config, 'warnings'> {
  const absolute = (path: string): string => resolve(userFolder(), path)
  const { TLS_CERT: cert, TLS_KEY: key, ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = settings
  return {
    host: settings.HOST,
    port: settings.PORT,
    dataDir: absolute(settings.DATA_DIR),
    databaseUrl: settings.DATABASE_URL,
    redisUrl: settings.REDIS_URL,
    blobsUrl: settings.BLOBS_URL,
    publicUrl: settings.PUBLIC_URL,
    secretKey: settings.SECRET_KEY,
    tls: cert === undefined || key === undefined ? undefined : { cert: absolute(cert), key: absolute(key) },
    trustedProxies: settings.TRUSTED_PROXIES ?? [],
    admin: email === undefined || password === undefined ? undefined : { email, password },
    smtpUrl: settings.SMTP_URL,
    roles: settings.ROLES,
    detector: detectorOf(settings.DETECTOR, absolute),
    detectorToken: settings.DETECTOR_TOKEN,
    detectorOrigin: settings.DETECTOR_ORIGIN,
    detectorThreads: settings.DETECTOR_THREADS,
    outboundAllow: settings.OUTBOUND_ALLOW ?? [],
    accessTokenSeconds: settings.ACCESS_TOKEN_SECONDS,
    maxGCodeBytes: settings.MAX_GCODE_BYTES,
    maxSnapshotBytes: settings.MAX_SNAPSHOT_BYTES,
    smoothing: settings.SMOOTHING,
    videoEncoder: settings.VIDEO_ENCODER,
    retention: retentionOf(settings),
    historyBytes: settings.HISTORY_BYTES,
    limits: settings.LIMITS ?? {},
    discovery: settings.DISCOVERY === 'on',
    assistant: assistantOf(settings),
    supportAddress: settings.SUPPORT_ADDRESS,
    logLevel: settings.LOG_LEVEL,
  }
}

function assistantOf(settings: Settings): AssistantConfig {
  const { ASSISTANT_URL: url, ASSISTANT_KEY: key, ASSISTANT_MODEL: model, ASSISTANT_VISION_MODEL: seeing } = settings
  const text = url === undefined || model === undefined ? undefined : { url, key, model }
  // The key of one server is never sent to another.
  const visionKey = settings.ASSISTANT_VISION_KEY ?? (settings.ASSISTANT_VISION_URL === undefined ? key : undefined)
  const visionUrl = settings.ASSISTANT_VISION_URL ?? url
  return {
    text,
    vision:
      visionUrl === undefined || seeing === undefined ? undefined : { url: visionUrl, key: visionKey, model: seeing },
    timeoutMs: settings.ASSISTANT_TIMEOUT_SECONDS * 1000,
    monthlyCredits: settings.ASSISTANT_MONTHLY_CREDITS,
  }
}

function detectorOf(detector: string | undefined, absolute: (path: string) => string): string | undefined {
  return detector === undefined || /^https?:/i.test(detector) ? detector : absolute(detector)
}
