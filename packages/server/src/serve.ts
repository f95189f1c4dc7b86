import { collectDefaultMetrics, Registry } from 'prom-client'
import { announceServer } from './adapters/discovery-mdns.js'
import { frameMetrics } from './adapters/frame-metrics.js'
import { type Adapters, openAdapters } from './adapters/open.js'
import { type Config, ConfigError, loadConfig } from './config.js'
import { openLog } from './log-output.js'
import { requirePictureLibrary } from './picture-library.js'
import type { Log } from './ports.js'
import { collectStartGarbage } from './start-garbage.js'

/** Everything that is under way must have ended by then; what has not is cut off. */
const STOP_TIMEOUT_MS = 9000

/** Where several servers work as one, they cannot each stand for all by where they listen themselves. */
const NO_COMMON_URL =
  'set PRINTWARDEN_PUBLIC_URL to the address that people open, the same on every server: without it each goes by its own, so that apps see different servers, and mail is not sent or leads to one of them'

const EXIT_FAILED = 1
const EXIT_CONFIG = 2

/** Runs the server until SIGTERM or SIGINT. */
export async function serve(envFile: string | undefined): Promise<void> {
  const config = readConfig(envFile)
  if (config === undefined) return
  const log = openLog(config.logLevel)
  for (const warning of config.warnings) log.warn({}, warning)
  const started = start(config, log)
  // From the first moment on: a signal in the middle of the start takes effect when it is done.
  stopOnSignals(async () => (await started)(), log)
  try {
    await started
    collectStartGarbage()
  } catch (err) {
    console.error(`printwarden-server: ${messageOf(err)}`)
    log.debug({ err }, 'the start failed')
    process.exit(EXIT_FAILED)
  }
}

function readConfig(envFile: string | undefined): Config | undefined {
  try {
    return loadConfig(envFile)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    console.error('printwarden-server: the configuration has problems:')
    for (const problem of error.problems) console.error(`  ${problem}`)
    process.exitCode = EXIT_CONFIG
    return undefined
  }
}

/** Starts the parts in order; resolves with how to stop them in the reverse order. */
async function start(config: Config, log: Log): Promise<() => Promise<void>> {
  await requirePictureLibrary()
  const isWeb = config.roles.includes('web')
  // The app's modules are read while the database opens in its own thread.
  const [adapters, app] = await Promise.all([openAdapters(config, log), isWeb ? import('./app.js') : undefined])
  try {
    return app === undefined ? await startWorker(adapters, config, log) : await startApp(app, adapters, config, log)
  } catch (error) {
    await adapters.close()
    throw error
  }
}

async function startApp(
  { buildApp }: typeof import('./app.js'),
  adapters: Adapters,
  config: Config,
  log: Log,
): Promise<() => Promise<void>> {
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })
  const { http, users } = await buildApp({
    ...adapters,
    config,
    retention: config.retention,
    assistant: { monthlyCredits: config.assistant.monthlyCredits, supportAddress: config.supportAddress },
    log,
    metrics,
    frames: frameMetrics(metrics),
  })
  await users.ensureAdministrator(config.admin)
  await http.listen({ host: config.host, port: config.port })
  adapters.listensAt({ port: portOf(http.server.address()) ?? config.port, isTls: config.tls !== undefined })
  const url = urlOf(config, http.server.address())
  if (config.redisUrl !== undefined && users.publicUrl() === undefined) log.warn({ url }, NO_COMMON_URL)
  await users.listeningAt(config.admin === undefined ? undefined : url)

  console.log(`printwarden-server listening url=${url}`)
  const claim = await users.claimToken()
  if (claim !== undefined) {
    console.log(`no administrator yet; open this link to become it: ${url}/claim/?token=${claim}`)
  }
  const port = portOf(http.server.address()) ?? config.port
  const discovery = config.discovery
    ? await announceServer({ host: config.host, port, isTls: config.tls !== undefined })
    : undefined
  return async () => {
    discovery?.close()
    await http.close()
    await adapters.close()
  }
}

/** A process that works for others: it listens for probes alone, and nobody is told of it. */
async function startWorker(adapters: Adapters, config: Config, log: Log): Promise<() => Promise<void>> {
  const { buildWorker } = await import('./worker.js')
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })
  const isDetector = config.roles.includes('detector')
  const http = await buildWorker({ ...adapters, config, retention: config.retention, log, metrics, isDetector })
  await http.listen({ host: config.host, port: config.port })
  adapters.listensAt({ port: portOf(http.server.address()) ?? config.port, isTls: config.tls !== undefined })
  const url = urlOf(config, http.server.address())
  console.log(`printwarden-server listening url=${url}`)
  log.info({ roles: config.roles }, 'works for other servers, and answers probes alone')
  return async () => {
    await http.close()
    await adapters.close()
  }
}

/** The address a person on this machine can open: a server that listens everywhere is also at localhost. */
function urlOf(config: Config, address: unknown): string {
  const port = portOf(address) ?? config.port
  const isAny = config.host === '0.0.0.0' || config.host === '::'
  const host = isAny ? 'localhost' : config.host.includes(':') ? `[${config.host}]` : config.host
  return `${config.tls === undefined ? 'http' : 'https'}://${host}:${port}`
}

function portOf(address: unknown): number | undefined {
  const port = typeof address === 'object' && address !== null && 'port' in address ? address.port : undefined
  return typeof port === 'number' ? port : undefined
}

function stopOnSignals(stop: () => Promise<void>, log: Log): void {
  let isStopping = false
  const onSignal = (signal: string): void => {
    if (isStopping) return
    isStopping = true
    log.info({ signal }, 'stopping')
    setTimeout(() => {
      log.error({}, 'stopping took too long')
      process.exit(EXIT_FAILED)
    }, STOP_TIMEOUT_MS).unref()
    stop().then(
      () => process.exit(0),
      (err: unknown) => {
        log.error({ err }, 'stopping failed')
        process.exit(EXIT_FAILED)
      },
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
