import { HostError, type HostDeps, type PictureWatch, type PrinterHost } from '../../host.js'
import type { CameraHostConfig } from '../../hosts.js'
import { greySample } from '../../cameras/grey-sample.js'
import { reasonOf } from '../../uplink/connection-reason.js'
import { compareSamples, type Sight } from './motion.js'
import { keptOf, snapshotOf, watchOf } from './translate.js'
import { stepWatch, type WatchInput, type WatchSettings } from './watch.js'

/** Between two looks for motion, and between two reports while nothing happens. */
export const LOOK_MS = 10_000

/**
 * A printer that no program on this machine can talk to: its camera is all there is. Somebody says when to watch, or things that move
 * do. What it is asked to do it cannot, and says so.
 */
export function openCameraHost(config: CameraHostConfig, deps: HostDeps): PrinterHost {
  const { clock, memory, report, log } = deps
  const settings: WatchSettings = {
    motion: config.motion,
    motionMs: config.motion_minutes * 60_000,
    quietMs: config.quiet_minutes * 60_000,
  }
  let watch = watchOf(memory.load())
  let shoot: Parameters<PictureWatch['useCamera']>[0] | undefined
  let before: Uint8Array | undefined
  let lookedMs = clock.monotonicMs()
  let isLooking = false
  let isClosed = false

  function take(input: WatchInput): void {
    if (isClosed) return
    const step = stepWatch(watch, input, settings)
    const kept = JSON.stringify(keptOf(watch))
    watch = step.watch
    if (JSON.stringify(keptOf(watch)) !== kept) memory.save(keptOf(watch))
    if (step.events.length === 0) return
    for (const event of step.events) {
      // A start is told with the state that it leads to.
      if (event === 'started') tell()
      report({ type: 'print', event })
    }
    log.info({ watching: watch.watched !== null, started_by: watch.watched?.startedBy }, 'watching by picture')
    tell()
  }

  function tell(): void {
    if (!isClosed) report({ type: 'snapshot', snapshot: snapshotOf(watch, clock.wallMs()) })
  }

  async function look(): Promise<void> {
    // A camera that takes long is not asked again meanwhile.
    if (!shoot || isLooking || isClosed) return
    isLooking = true
    const atMs = clock.monotonicMs()
    const sight = await see(shoot).catch((error: unknown): Sight => {
      log.debug({ why: reasonOf(error) }, 'no picture to look for motion in')
      before = undefined
      return 'unclear'
    })
    isLooking = false
    take({ type: 'sight', sight, ms: Math.min(atMs - lookedMs, 3 * LOOK_MS), wallMs: clock.wallMs() })
    lookedMs = atMs
  }

  async function see(picture: NonNullable<typeof shoot>): Promise<Sight> {
    const now = await greySample(await picture())
    const sight = before ? compareSamples(before, now) : 'unclear'
    before = now
    return sight
  }

  const stop = clock.every(LOOK_MS, () => {
    if (settings.motion) void look()
    tell()
  })
  tell()

  const refuse = async (what: string): Promise<never> => {
    throw new HostError('rejected', `this printer is watched by picture alone: ${what} it at the printer itself`)
  }
  return {
    pause: () => refuse('pause'),
    resume: () => refuse('resume'),
    cancel: () => refuse('cancel'),
    print: async () => {
      throw new HostError('rejected', 'this printer is watched by picture alone: give it the file yourself')
    },
    watch: {
      start: async (name) => take({ type: 'start', name, wallMs: clock.wallMs() }),
      stop: async (outcome) => {
        if (!watch.watched) throw new HostError('not_printing', 'this printer is not being watched')
        take({ type: 'stop', outcome })
      },
      useCamera: (given) => {
        shoot = given
      },
    },
    close: async () => {
      isClosed = true
      stop()
    },
  }
}
