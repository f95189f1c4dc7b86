import type { Config } from '../config.js'
import type { Detector } from '../detection/detector.js'
import type { Mailer } from '../users/mailer.js'
import type { BlobStore, Bus, Clock, Database, LiveStore, Log, Secrets } from '../ports.js'
import { openDiskBlobs } from './blobs-disk.js'
import { memoryBus } from './bus-memory.js'
import { systemClock } from './clock-system.js'
import { takeDataFolder } from './data-folder.js'
import { openEmbeddedDatabase } from './database-embedded.js'
import { openNoDetector } from './detector-none.js'
import { openOnnxDetector, SHIPPED_MODEL } from './detector-onnx.js'
import { memoryLiveStore } from './live-memory.js'
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
  const blobs = await openDiskBlobs(folder.file('blobs'))
  const bus = memoryBus(log)
  const live = memoryLiveStore(clock)
  const detector = config.roles.includes('detector')
    ? openOnnxDetector(config.detector ?? SHIPPED_MODEL, log)
    : openNoDetector()
  // Read only where it is used: most servers send no mail, and start sooner.
  const mailer =
    config.smtpUrl === undefined ? undefined : (await import('./mail-smtp.js')).openSmtpMailer(config.smtpUrl)
  return {
    ...{ database, blobs, bus, live, clock, secrets, detector, mailer },
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
