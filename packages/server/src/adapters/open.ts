import { rm } from 'node:fs/promises'
import type { Config } from '../config.js'
import type { Detector } from '../detection/detector.js'
import type { Homes } from '../detection/homes.js'
import type { Looks } from '../detection/looks.js'
import { loseAllHolds } from '../assistant/credits/credits-store.js'
import type { AssistantModel } from '../assistant/model.js'
import { handBackAllJobs } from '../jobs/store.js'
import type { VideoEncoder } from '../timelapse/encoder.js'
import type { Mailer } from '../users/mailer.js'
import type {
  BlobStore,
  Bus,
  Clock,
  Counters,
  Database,
  LiveStore,
  Log,
  Outbound,
  PutAndPublish,
  Secrets,
} from '../ports.js'
import type { DiscoverySecrets } from '../agents/linking-discovery-flow.js'
import type { AppDeps } from '../app.js'
import { openBlobs } from './blobs-open.js'
import { memoryBus } from './bus-memory.js'
import { systemClock } from './clock-system.js'
import { memoryCounters } from './counters-memory.js'
import { takeDataFolder } from './data-folder.js'
import { openDatabase } from './database-open.js'
import type { Listening } from './detector-http-way.js'
import { type Meeting, openDetectors } from './detectors.js'
import { openHttpDiscoverySecrets } from './discovery-secrets-http.js'
import { findFfmpeg } from './encoder-ffmpeg.js'
import { wasmEncoder } from './encoder-wasm.js'
import { busHomes } from './homes-bus.js'
import { memoryLiveStore } from './live-memory.js'
import { openModel } from './open-model.js'
import { openGuardedOutbound } from './outbound-guarded.js'
import { ffmpegPoster } from './poster-ffmpeg.js'
import { openSecrets, secretKeyFile } from './secrets.js'

/** One adapter for each port. */
export interface Adapters {
  readonly database: Database
  readonly blobs: BlobStore
  readonly bus: Bus
  readonly live: LiveStore
  readonly putAndPublish: PutAndPublish | undefined
  readonly counters: Counters
  readonly clock: Clock
  readonly secrets: Secrets
  readonly detector: Detector
  /** Undefined where this process looks at its pictures by itself. */
  readonly looks: Looks | undefined
  /** Undefined where all decisions are made in this process. */
  readonly homes: Homes | undefined
  /** Whether there may be other processes on the same database. */
  readonly hasOtherNodes: boolean
  readonly outbound: Outbound
  readonly discoverySecrets: DiscoverySecrets
  /** To be told once the server listens: a detection service may fetch pictures from there, and the shipped detector begins then. */
  listensAt(here: Listening): void
  /** Undefined when this process does no jobs. */
  readonly jobs: AppDeps['jobs']
  readonly videos: AppDeps['videos']
  /** Undefined when no mail server is configured. */
  readonly mailer: Mailer | undefined
  /** Undefined when no assistant is configured. */
  readonly model: AssistantModel | undefined
  /** Closes all of them, in the reverse order. */
  close(): Promise<void>
}

/** Opens what the configuration asks for, and brings the database up to date. */
export async function openAdapters(config: Config, log: Log): Promise<Adapters> {
  const folder = await takeDataFolder(config.dataDir)
  const clock = systemClock
  const secrets = openSecrets(config.secretKey ?? (await secretKeyFile(folder.file('secret-key'))))
  const database = await openDatabase(config, folder.file('printwarden.db'), log)
  await database.migrate()
  // A database that other nodes have too tells by the leases which workers have ended.
  if (config.databaseUrl === undefined) {
    await handBackAllJobs(database.db, clock.now())
    await loseAllHolds(database.db)
  }
  const blobs = await openBlobs(config.blobsUrl ?? folder.file('blobs'), log, config.redisUrl !== undefined)
  const between = await openBetween(config, { clock, log, secrets })
  const { bus, live, putAndPublish, counters } = between
  let here: Listening | undefined
  let tellListening: () => void = () => undefined
  const listens = new Promise<void>((resolve) => {
    tellListening = resolve
  })
  const listening = (): Listening | undefined => here
  const deps = { log, blobs, secrets, clock, listening, listens }
  const detectors = await openDetectors(config, between.meeting, deps)
  const { detector, looks } = detectors
  const outbound = openGuardedOutbound({ allow: config.outboundAllow })
  // What a server that was killed has left there is of no use to anybody.
  const scratchFolder = folder.file('timelapse')
  await rm(scratchFolder, { recursive: true, force: true })
  const videos = { scratchFolder, grabPoster: ffmpegPoster() }
  const jobs = config.roles.includes('jobs') ? { findEncoder: () => findEncoder(config.videoEncoder) } : undefined
  // Read only where it is used: most servers send no mail, and start sooner.
  const mailer =
    config.smtpUrl === undefined ? undefined : (await import('./mail-smtp.js')).openSmtpMailer(config.smtpUrl)
  return {
    ...{
      database,
      blobs,
      bus,
      live,
      putAndPublish,
      counters,
      clock,
      secrets,
      detector,
      looks,
      jobs,
      videos,
      outbound,
      mailer,
    },
    model: await openModel(config),
    hasOtherNodes: between.meeting !== undefined,
    homes: between.meeting && busHomes(bus),
    discoverySecrets: openHttpDiscoverySecrets(),
    listensAt(place) {
      here = place
      tellListening()
    },
    async close() {
      await mailer?.close()
      await detectors.close()
      await live.close()
      await bus.close()
      await between.close()
      await blobs.close()
      await database.close()
      folder.release()
    },
  }
}

/** The drivers of a fleet are read only where they are used: a household's server starts sooner. */
/** What nodes tell each other. `close` ends what both of them use, once they are closed. */
interface Between {
  readonly bus: Bus
  readonly live: LiveStore
  readonly putAndPublish: PutAndPublish | undefined
  readonly counters: Counters
  readonly meeting: Meeting | undefined
  close(): Promise<void>
}

async function openBetween(
  { redisUrl }: Config,
  { clock, log, secrets }: { clock: Clock; log: Log; secrets: Pick<Secrets, 'newToken'> },
): Promise<Between> {
  if (redisUrl === undefined) {
    const own = { bus: memoryBus(log), live: memoryLiveStore(clock), counters: memoryCounters(clock) }
    return { ...own, putAndPublish: undefined, meeting: undefined, async close() {} }
  }
  const [{ openRedis }, { openRedisBus }, { redisLiveStore }, { redisPutAndPublish }, { redisCounters }] =
    await Promise.all([
      import('./redis-connection.js'),
      import('./bus-redis.js'),
      import('./live-redis.js'),
      import('./told-values-redis.js'),
      import('./counters-redis.js'),
    ])
  const redis = await openRedis(redisUrl, log)
  const node = secrets.newToken(8)
  const bus = await openRedisBus(redis, node, clock, log)
  return {
    bus,
    meeting: { redis, bus, node },
    live: redisLiveStore(redis, clock, log),
    putAndPublish: redisPutAndPublish(redis, bus, clock, log),
    counters: redisCounters(redis, clock, log),
    close: () => redis.close(),
  }
}

/** What makes videos here, looked for each time: ffmpeg may be installed at any time. */
async function findEncoder(wanted: Config['videoEncoder']): Promise<VideoEncoder | undefined> {
  if (wanted === 'off') return undefined
  const ffmpeg = wanted === 'builtin' ? undefined : await findFfmpeg()
  return ffmpeg ?? (wanted === 'ffmpeg' ? undefined : wasmEncoder())
}
