import type { Config } from '../config.js'
import type { Detector } from '../detection/detector.js'
import type { Looks } from '../detection/looks.js'
import type { Bus, Log } from '../ports.js'
import { type HttpDetectorOptions, openHttpDetector } from './detector-http.js'
import { openNoDetector } from './detector-none.js'
import { openOnnxDetector, SHIPPED_MODEL } from './detector-onnx.js'
import { knowDetectors } from './detector-presence.js'
import type { RedisConnections } from './redis-connection.js'

/** What looks at pictures for this process. */
export interface Detectors {
  readonly detector: Detector
  /** In whose turn; undefined where the detector of this process does it by itself. */
  readonly looks: Looks | undefined
  close(): Promise<void>
}

/** How this process meets others; undefined when it is alone. */
export interface Meeting {
  readonly redis: RedisConnections
  readonly bus: Bus
  /** A name that no other node has. */
  readonly node: string
}

export interface DetectorsDeps extends Omit<HttpDetectorOptions, 'url' | 'token' | 'origin' | 'capacity'> {
  /** Resolves once the server listens: the model is loaded then, which would make everybody wait before. */
  readonly listens: Promise<void>
}

type DetectorsConfig = Pick<Config, 'roles' | 'detector' | 'detectorThreads' | 'detectorToken' | 'detectorOrigin'>

/**
 * A process with the role has a detector of its own, by which it looks at its own pictures, and at those of others where there are any.
 * One without hands its pictures to those.
 */
export async function openDetectors(
  config: DetectorsConfig,
  meeting: Meeting | undefined,
  deps: DetectorsDeps,
): Promise<Detectors> {
  if (meeting === undefined) {
    const detector = config.roles.includes('detector') ? openOwn(config, deps) : openNoDetector()
    return { detector, looks: undefined, close: () => detector.close() }
  }
  return config.roles.includes('detector')
    ? serveOthers(openOwn(config, deps), meeting, deps.log)
    : askOthers(meeting, deps.log)
}

function openOwn(
  { detector = SHIPPED_MODEL, detectorThreads: threads, detectorToken: token, detectorOrigin: origin }: DetectorsConfig,
  { listens, ...deps }: DetectorsDeps,
): Detector {
  if (!/^https?:/i.test(detector)) return openOnnxDetector(detector, deps.log, threads, listens)
  return openHttpDetector({ ...deps, url: detector, token, origin, capacity: threads + 1 })
}

async function serveOthers(detector: Detector, { redis, bus, node }: Meeting, log: Log): Promise<Detectors> {
  const [{ serveLooks }, { LEASE_MS, redisLookQueue }] = await Promise.all([
    import('./look-server.js'),
    import('./look-queue-redis.js'),
  ])
  const serving = serveLooks({ queue: redisLookQueue(redis), bus, log, node, detector, leaseMs: LEASE_MS })
  return {
    ...{ detector, looks: undefined },
    async close() {
      await serving.close()
      await detector.close()
    },
  }
}

async function askOthers({ redis, bus, node }: Meeting, log: Log): Promise<Detectors> {
  const [{ queuedLooks }, { redisLookQueue }] = await Promise.all([
    import('./looks-queue.js'),
    import('./look-queue-redis.js'),
  ])
  const detectors = knowDetectors(bus, log)
  const { looks, detector } = queuedLooks({ queue: redisLookQueue(redis), bus, log, node, detectors })
  return {
    ...{ detector, looks },
    async close() {
      await detector.close()
      detectors.close()
    },
  }
}
