import { isRecord, parseJson } from './errors.js'
import type { Command, Printer, PrinterEvent, Timelapse } from './resources.js'

/** A print's time-lapse is a step further. */
export interface LiveTimelapse {
  readonly printer_id: number
  readonly print_id: number
  readonly timelapse: Timelapse | null
}

/** What the live websocket sends: each frame has exactly one of these keys. */
export type LiveMessage =
  | { readonly state: { readonly cursor: string; readonly printers: readonly Printer[] } }
  | { readonly printer: { readonly cursor: string; readonly id: number; readonly changes: Partial<Printer> } }
  | { readonly removed: { readonly cursor: string; readonly id: number } }
  | { readonly command: Command }
  | { readonly event: PrinterEvent }
  | { readonly timelapse: LiveTimelapse }
  | { readonly error: { readonly code: string; readonly detail: string } }

const KEYS = ['state', 'printer', 'removed', 'command', 'event', 'timelapse', 'error'] as const

/** A frame of the live websocket, or undefined for what a newer server may send besides. */
export function readLiveMessage(text: string): LiveMessage | undefined {
  const message = parseJson(text)
  if (!isRecord(message)) return undefined
  const isKnown = KEYS.some((key) => isRecord(message[key]))
  // The shape within is the server's promise (`live.v1`); checking every field would mean shipping the schemas.
  return isKnown ? (message as LiveMessage) : undefined
}

/**
 * The printers after a message. The map is never changed in place: without a change the same map comes back, so a view can
 * compare by identity.
 *
 * @returns undefined when the message changes a printer that is not in the map, and does not bring it whole: the caller must ask
 *   for the full state again
 */
export function mergeLive(
  printers: ReadonlyMap<number, Printer>,
  message: LiveMessage,
): ReadonlyMap<number, Printer> | undefined {
  if ('state' in message) return new Map(message.state.printers.map((printer) => [printer.id, printer]))
  if ('printer' in message) return withChanges(printers, message.printer.id, message.printer.changes)
  if ('removed' in message) return without(printers, message.removed.id)
  return printers
}

function withChanges(
  printers: ReadonlyMap<number, Printer>,
  id: number,
  changes: Partial<Printer>,
): ReadonlyMap<number, Printer> | undefined {
  const known = printers.get(id)
  const printer = known === undefined ? changes : { ...known, ...changes }
  return isWhole(printer) ? new Map(printers).set(id, printer) : undefined
}

/** Whether changes name a printer by themselves: a printer that was just added comes as the change of all its fields. */
function isWhole(changes: Partial<Printer>): changes is Printer {
  return changes.id !== undefined && changes.name !== undefined && changes.status !== undefined
}

function without(printers: ReadonlyMap<number, Printer>, id: number): ReadonlyMap<number, Printer> {
  if (!printers.has(id)) return printers
  const rest = new Map(printers)
  rest.delete(id)
  return rest
}
