import { PrinterStatus } from '@printwarden/protocol'
import { lookOf, settingsOf } from '../cameras/camera-settings.js'
import type { CameraRow } from '../cameras/cameras-store.js'
import type { LookOptions } from '../cameras/look-options.js'
import type { Findings } from '../detector.js'
import type { Clock, LiveStore, Log } from '../../ports.js'
import { statusKey } from '../../printers/live-keys.js'
import type { WatchFlow } from '../watching/watch-flow.js'
import type { ContextFlow } from './context-flow.js'

/** A printer that does nothing is looked at this often: the reference of the next print is no older, when its agent sends pictures. */
const EVERY_MS = 5 * 60_000
/** An older picture may be of a time when the printer did something. */
const FRESH_MS = 30_000

export interface IdleBedDeps {
  readonly live: Pick<LiveStore, 'get'>
  readonly clock: Clock
  readonly log: Log
  readonly contexts: Pick<ContextFlow, 'learnIdle'>
  readonly watch: Pick<WatchFlow, 'read'>
  /** Looks at a picture, unless the detector has something better to do. */
  readonly glance: (picture: Uint8Array, look: LookOptions) => Promise<Findings | undefined>
}

/** A snapshot of a printer of which no print is known. */
export interface IdleFrame {
  readonly camera: CameraRow
  readonly bytes: Uint8Array
  /** In milliseconds. */
  readonly frame_at: number
}

/** What beds look like before their next print: from the snapshots of printers that do nothing. */
export function idleBedFlow({ live, clock, log, contexts, watch, glance }: IdleBedDeps) {
  /** When each camera was last looked at. */
  const takenAt = new Map<number, number>()

  /** Looks at one, if that is due. Never rejects. */
  async function take({ camera, bytes, frame_at }: IdleFrame): Promise<void> {
    const settings = settingsOf(camera.settings)
    if (!settings.clean_bed_enabled || frame_at - (takenAt.get(camera.id) ?? 0) < EVERY_MS) return
    if (clock.now() - frame_at > FRESH_MS) return
    try {
      if (!(await isResting(camera.printer_id)) || !(await canSee(camera))) return
      const findings = await glance(bytes, lookOf(settings, false))
      if (findings === undefined) return
      takenAt.set(camera.id, frame_at)
      await contexts.learnIdle(camera, findings, frame_at)
    } catch (err) {
      log.debug({ err, camera_id: camera.id }, 'a picture of an idle printer was left out')
    }
  }

  /** Whether the printer is known to do nothing: then its head is parked. */
  async function isResting(printerId: number): Promise<boolean> {
    return PrinterStatus.safeParse(await live.get(statusKey(printerId))).data?.state.text === 'Operational'
  }

  async function canSee({ id, printer_id }: CameraRow): Promise<boolean> {
    const camera = (await watch.read(printer_id))?.cameras.find(({ camera_id }) => camera_id === id)
    return camera?.quality.problem == null
  }

  return { take }
}
