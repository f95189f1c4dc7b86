import type { CameraWatching, Printer } from '@printwarden/sdk'
import type { Words } from './wording.js'
import { watchingWords } from './wording.js'

/** Reasons that its user chose or that are no fault: nothing is amiss. */
const CALM = new Set<Printer['not_watching_code']>(['not_printing', 'disabled', 'muted'])

/** Whether the print is watched. Only a picture that was checked a moment ago counts. */
export function proofWords(printer: Printer): Words {
  if (printer.not_watching_reason !== null) {
    const words = watchingWords(printer)
    return CALM.has(printer.not_watching_code) ? words : { ...words, tone: 'bad' }
  }
  if (printer.watching.is_watching) return { text: 'Watching this print', tone: 'good' }
  return { text: 'Waiting for the first picture of this print', tone: 'neutral' }
}

/** What the camera is called. */
export function cameraTitle({ name, is_primary }: Pick<CameraWatching, 'name' | 'is_primary'>): string {
  if (name !== '') return name
  return is_primary ? 'Camera' : 'Camera without a name'
}

/** How one camera fares, in a few words. */
export function cameraWords(camera: CameraWatching, printer: Printer): Words {
  if (!camera.detection_enabled) return { text: 'Not looked at for failures', tone: 'neutral' }
  if (camera.not_watching_reason !== null) return { text: camera.not_watching_reason, tone: 'bad' }
  if (printer.not_watching_code !== null) {
    return { text: CALM.has(printer.not_watching_code) ? 'Ready' : 'Not watching now', tone: 'neutral' }
  }
  return printer.current_print !== null && camera.frames_analysed > 0
    ? { text: `Watching · ${camera.frames_analysed} ${camera.frames_analysed === 1 ? 'look' : 'looks'}`, tone: 'good' }
    : { text: 'Ready', tone: 'neutral' }
}
