import type { PrinterPrompt } from '@printwarden/protocol'
import type { HostNotice } from '../../host.js'
import type { KlippyDown } from './klippy.js'
import { printStatsOf, type Objects } from './objects.js'
import { isPrinting } from './print-events.js'

const SENSOR = /^filament_(?:switch|motion)_sensor (.+)$/

/** What a person should know of that happened between two looks at Klipper. */
export function noticesOf(before: Objects, after: Objects): HostNotice[] {
  const stats = printStatsOf(after)
  const failed = stats.state === 'error' && printStatsOf(before).state !== 'error'
  const wasPrinting = isPrinting(printStatsOf(before))
  return [
    ...(wasPrinting ? emptySensors(before, after) : []),
    ...(failed ? [{ about: 'error', title: 'The print failed', text: stats.message } as const] : []),
  ]
}

/** A sensor matters only in a print: at rest people change filament as they like. */
function emptySensors(before: Objects, after: Objects): HostNotice[] {
  return Object.entries(after).flatMap(([name, fields]): HostNotice[] => {
    const sensor = SENSOR.exec(name)?.[1]
    const ranOut = before[name]?.['filament_detected'] === true && fields['filament_detected'] === false
    if (sensor === undefined || !ranOut || fields['enabled'] === false) return []
    return [{ about: 'filament_change', title: 'Filament ran out', text: `The sensor "${sensor}" sees no filament.` }]
  })
}

/** What a Klippy says that has gone down by itself; a restart is nobody's news. */
export function noticeOfDown({ klippy, reason }: KlippyDown): HostNotice | undefined {
  if (klippy !== 'shutdown' && klippy !== 'error') return undefined
  return { about: 'error', title: 'Klipper has shut down', text: reason }
}

/** A dialog that a macro has opened. */
export function questionNotice({ text, choices }: PrinterPrompt): HostNotice {
  return { about: 'question', title: 'The printer asks', text: `${text} (${choices.join(' / ')})` }
}
