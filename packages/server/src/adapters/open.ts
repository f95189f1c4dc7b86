import { rm } from 'node:fs/promises'
import type { Config } from '../config.js'
import type { Detector } from '../detection/detector.js'
import { handBackAllJobs } from '../jobs/store.js'
import type { VideoEncoder } from '../timelapse/encoder.js'
import type { Mailer } from '../users/mailer.js'
import type { BlobStore, Bus, Clock, Database, LiveStore, Log, Outbound, Secrets } from '../ports.js'
import type { AppDeps } from '../app.js'
import { openDiskBlobs } from './blobs-disk.js'
import { memoryBus } from './bus-memory.js'
import { systemClock } from './clock-system.js'
import { takeDataFolder } from './data-folder.js'
import { openEmbeddedDatabase } from './database-embedded.js'
import { type HttpDetectorOptions, openHttpDetector } from './detector-http.js'
import type { Listening } from './detector-http-way.js'
import { openNoDetector } from './detector-none.js'
import { openOnnxDetector, SHIPPED_MODEL } from './detector-onnx.js'
import { findFfmpeg } from './encoder-ffmpeg.js'
import { wasmEncoder } from './encoder-wasm.js'
import { memoryLiveStore } from './live-memory.js'
import { openGuardedOutbound } from './outbound-guarded.js'
import { ffmpegPoster } from './poster-ffmpeg.js'
import { openSecrets, secretKeyFile } from './secrets.js'

/** One adapter for each port. */
export interface Adapters {
  readonly database: Database
  readonly blobs: BlobStore
  readonly bus: Bus
  readonly live: LiveStore
  readonly clock: Clock
  readonly secrets: Secrets
  readonly detector: Detector
  readonly outbound: Outbound
  /** To be told once the server listens: a detection service may fetch pictures from there. */
  listensAt(here: Listening): void
  /** Undefined when this process does no jobs. */
  readonly jobs: AppDeps['jobs']
  readonly videos: AppDeps['videos']
  /** Undefined when no mail server is configured. */
  readonly mailer: Mailer | undefined
  /** Closes all of them, in the reverse order. */
  close(): Promise<void>
}

/** Opens what the configuration asks for, and brings the database up to date. */
export async function openAdapters(config: Config, log: Log): Promise<Adapters> {
  const folder = await takeDataFolder(config.dataDir)
  const clock = systemClock
  const secrets = openSecrets(config.secretKey ?? (await secretKeyFile(folder.file('secret-key'))))
  const database = await openEmbeddedDatabase(folder.file('printwarden.db'))
  await database.migrate()
  // The data folder is ours alone, so whoever had these has ended.
  await handBackAllJobs(database.db, clock.now())
  const blobs = await openDiskBlobs(folder.file('blobs'))
  const bus = memoryBus(log)
  const live = memoryLiveStore(clock)
  let here: Listening | undefined
  const detector = openDetector(config, log, { blobs, secrets, clock, listening: () => here })
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
    ...{ database, blobs, bus, live, clock, secrets, detector, jobs, videos, outbound, mailer },
    listensAt(listening) {
      here = listening
    },
    async close() {
      await mailer?.close()
      await detector.close()
      await live.close()
      await bus.close()
      await database.close()
      folder.release()
    },
  }
}

/** What makes videos here, looked for each time: ffmpeg may be installed at any time. */
async function findEncoder(wanted: Config['videoEncoder']): Promise<VideoEncoder | undefined> {
  if (wanted === 'off') return undefined
  const ffmpeg = wanted === 'builtin' ? undefined : await findFfmpeg()
  return ffmpeg ?? (wanted === 'ffmpeg' ? undefined : wasmEncoder())
}

function openDetector(
  config: Config,
  log: Log,
  deps: Pick<HttpDetectorOptions, 'blobs' | 'secrets' | 'clock' | 'listening'>,
): Detector {
  const { detector = SHIPPED_MODEL, detectorThreads: threads } = config
  if (!config.roles.includes('detector')) return openNoDetector()
  if (!/^https?:/i.test(detector)) return openOnnxDetector(detector, log, threads)
  const { detectorToken: token, detectorOrigin: origin } = config
  return openHttpDetector({ ...deps, log, url: detector, token, origin, capacity: threads + 1 })
}
