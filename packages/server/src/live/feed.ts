import type { Printer } from '@printwarden/protocol'
import type { Viewer } from '../prints/view.js'
import { livePrinterView, type PrinterFacts, printerView } from '../printers/view.js'

// What is each subscriber owed? Every change of a printer raises the feed's version and stamps the fields that changed with it.
// A subscriber remembers one version, up to which it was told everything; it is owed the fields with a later stamp. So nothing
// queues for a slow subscriber: skipping rounds only makes the next one tell the newest values of more fields.

type Field = keyof Printer

/** One printer in a feed. */
export interface FeedPrinter {
  readonly facts: PrinterFacts
  /** The version at which each field changed last. */
  readonly stamps: ReadonlyMap<Field, number>
  /** How it looks to nobody in particular: to find what changed. */
  readonly neutral: Printer
}

/** Everything that one user's subscribers on this node may see. */
export interface Feed {
  /** Names this feed among all that ever were: versions of another one mean nothing here. */
  readonly epoch: string
  version: number
  /** When a printer last left the sight of somebody. */
  removedAt: number
  /** When subscribers were last told what changed. They are told together, so that what they share is encoded once. */
  roundAt: number
  readonly printers: Map<number, FeedPrinter>
}

/** Which printers a subscriber asked for. `all` leaves out archived ones, as the list does. */
export type Selection = 'all' | ReadonlySet<number>

/** How far one subscriber is. */
export interface Subscription {
  readonly selection: Selection
  /** The version up to which everything was told. */
  readonly version: number
  /** The printers that the subscriber has. */
  readonly known: ReadonlySet<number>
}

/** What a subscriber is owed of one printer. */
export type Owed =
  | { readonly type: 'changes'; readonly id: number; readonly changes: Partial<Printer> }
  | { readonly type: 'removed'; readonly id: number }

/** URLs and secrets differ by viewer. Here a key stands for its URL, and whatever the `auth_token` is, it is in the facts. */
const NOBODY: Viewer = { origin: '', mediaUrl: (key) => key, canWrite: true }

export function emptyFeed(epoch: string): Feed {
  return { epoch, version: 0, removedAt: 0, roundAt: 0, printers: new Map() }
}

/** Puts a printer's newest facts into the feed. Says whether anything that can be seen changed. */
export function putFacts(feed: Feed, facts: PrinterFacts, now: number): boolean {
  const { id } = facts.printer
  const before = feed.printers.get(id)
  const neutral = neutralView(before, facts, now)
  const changed = fieldsOf(neutral).filter((field) => !isSame(field, before?.neutral[field], neutral[field]))
  if (changed.length === 0) {
    if (before !== undefined) feed.printers.set(id, { ...before, facts })
    return false
  }
  feed.version += 1
  // Whoever did not see it while it was archived needs all of it.
  const isBack = before !== undefined && before.neutral.archived_at !== null && neutral.archived_at === null
  if (before?.neutral.archived_at === null && neutral.archived_at !== null) feed.removedAt = feed.version
  const stamps = new Map(before?.stamps)
  for (const field of isBack ? fieldsOf(neutral) : changed) stamps.set(field, feed.version)
  feed.printers.set(id, { facts, stamps, neutral })
  return true
}

/** Rows rarely change, so what is made from them is kept. */
function neutralView(before: FeedPrinter | undefined, facts: PrinterFacts, now: number): Printer {
  const isSameRow = before?.facts.printer === facts.printer && before.facts.print === facts.print
  return isSameRow ? { ...before.neutral, ...livePrinterView(facts, NOBODY, now) } : printerView(facts, NOBODY, now)
}

/** Takes a printer out of the feed. */
export function removePrinter(feed: Feed, id: number): boolean {
  if (!feed.printers.delete(id)) return false
  feed.version += 1
  feed.removedAt = feed.version
  return true
}

/** The printers that a selection means now. */
export function selectedPrinters(feed: Feed, selection: Selection): FeedPrinter[] {
  return [...feed.printers.values()].filter((printer) => isSelected(printer, selection))
}

function isSelected({ facts }: FeedPrinter, selection: Selection): boolean {
  return selection === 'all' ? facts.printer.archived_at === null : selection.has(facts.printer.id)
}

/** What the subscriber is owed of one printer; undefined when nothing. A printer that is new to it is owed whole. */
export function owedOf(
  feed: Feed,
  subscription: Subscription,
  id: number,
  viewer: Viewer,
  now: number,
): Owed | undefined {
  const printer = feed.printers.get(id)
  const isKnown = subscription.known.has(id)
  if (printer === undefined || !isSelected(printer, subscription.selection)) {
    return isKnown ? { type: 'removed', id } : undefined
  }
  if (!isKnown) return { type: 'changes', id, changes: printerView(printer.facts, viewer, now) }
  const fields = [...printer.stamps].flatMap(([field, stamp]) => (stamp > subscription.version ? [field] : []))
  return fields.length === 0 ? undefined : { type: 'changes', id, changes: viewOf(printer.facts, fields, viewer, now) }
}

/** These fields as the viewer sees them. Mostly they are those that change by the second, which cost little. */
function viewOf(facts: PrinterFacts, fields: readonly Field[], viewer: Viewer, now: number): Partial<Printer> {
  const live: Partial<Printer> = livePrinterView(facts, viewer, now)
  const view = fields.every((field) => field in live) ? live : printerView(facts, viewer, now)
  return Object.fromEntries(fields.map((field) => [field, view[field]]))
}

const fieldsOf = (printer: Printer): Field[] => Object.keys(printer) as Field[]

function isSame(field: Field, a: unknown, b: unknown): boolean {
  if (a === b) return true
  // A status is large, and told by its time.
  if (field === 'status' && timeOf(a) !== timeOf(b)) return false
  return typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b)
}

function timeOf(status: unknown): unknown {
  return typeof status === 'object' && status !== null && '_ts' in status ? status._ts : undefined
}
