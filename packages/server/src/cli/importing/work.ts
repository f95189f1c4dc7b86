import type { ImportOutcome, ImportRecord } from '@printwarden/protocol'
import { type Estimate, newEstimate } from './estimate.js'
import type { SourceLists } from './lists.js'
import type { ProgressShow } from './progress.js'
import type { SourceFile, SourceFolder, SourcePrint, SourcePrinter, SourceUser } from './shapes.js'
import type { SourceClient } from './source-client.js'
import { newSummary, noteMissing, noteOutcome, type Summary } from './summary.js'
import type { ImportTarget } from './target.js'
import { eachAtOnce, type Transfer, transfer } from './transfer.js'
import {
  fileRecord,
  folderRecord,
  parentsFirst,
  partUrl,
  preferencesRecord,
  printerRecord,
  printRecord,
  settingRecord,
  type Translated,
} from './translate.js'

export const GROUPS = ['printers', 'prints', 'files', 'settings'] as const
export type Group = (typeof GROUPS)[number]

/** Files at a time: the other server has other users. */
const AT_ONCE = 2

export interface ImportWork {
  readonly source: SourceClient
  readonly lists: SourceLists
  readonly target: ImportTarget
  readonly user: SourceUser
  readonly only: ReadonlySet<Group>
  readonly keepsTokens: boolean
  readonly show: ProgressShow
}

/** A thing of the other server on its way. */
interface Thing {
  readonly kind: string
  readonly id: number
  readonly name: string
  readonly translated: Translated
  /** The address of bytes that it wants, and how to ask for it anew. */
  readonly urlOf: (kind: string, sourceId: number) => string | undefined
  readonly renew: () => Promise<Thing['urlOf'] | undefined>
  readonly num_bytes?: number | null | undefined
}

/** Brings everything over, in an order in which nothing comes before what it builds on. */
export async function bringOver(work: ImportWork): Promise<{ summary: Summary; estimate: Estimate }> {
  const { lists, only } = work
  const run = importRun(work)
  const printers = await lists.printers()
  if (only.has('settings')) await run.settings()
  if (only.has('printers'))
    await run.step('printers', printers.length, [printers.map((printer) => run.printerOf(printer))])
  if (only.has('files')) {
    const folders: SourceFolder[] = []
    for await (const page of lists.folders()) folders.push(...page)
    const things = parentsFirst(folders).map((folder) =>
      plain('folder', folder.id, folder.name ?? '', folderRecord(folder)),
    )
    if (things.length > 0) await run.step('folders', things.length, [things])
    await run.step('files', undefined, run.filesOf(lists.files()))
  }
  if (only.has('prints')) await run.step('prints', undefined, run.printsOf(lists.prints(), printers))
  return { summary: run.summary, estimate: run.estimate }
}

const plain = (kind: string, id: number, name: string, translated: Translated): Thing => ({
  ...{ kind, id, name, translated },
  urlOf: () => undefined,
  renew: async () => undefined,
})

function importRun({ source, lists, target, user, only, keepsTokens, show }: ImportWork) {
  const summary = newSummary()
  const estimate = newEstimate()
  const knownFiles = new Set<number>()

  /** Sends things, then the bytes that they want. */
  async function send(things: readonly Thing[]): Promise<void> {
    const records: ImportRecord[] = []
    const byKey = new Map<string, Thing>()
    for (const thing of things) {
      const { kind, id, name, translated } = thing
      byKey.set(`${kind} ${id}`, thing)
      if ('record' in translated) records.push(translated.record)
      else noteMissing(summary, { kind, source_id: id, name, what: 'left_out', reason: translated.reason })
    }
    const outcomes = await target.take(records)
    const wanted = outcomes.flatMap((outcome) => taken(outcome, byKey.get(`${outcome.kind} ${outcome.source_id}`)))
    const deps = { source, target, summary, onBytes: (count: number) => show.bytes(count) }
    await eachAtOnce(wanted, AT_ONCE, (one) => transfer(deps, one))
  }

  /** Notes what became of a thing; what it wants still. A file counts once its bytes are here. */
  function taken(outcome: ImportOutcome, thing: Thing | undefined): Transfer[] {
    if (thing === undefined) return []
    const { name } = thing
    const isAwaited = outcome.kind === 'file' && outcome.wants.length > 0
    if (!isAwaited || target.isDryRun) noteOutcome(summary, outcome, name)
    return outcome.wants.flatMap(({ item_id, kind, source_id }) => {
      const url = thing.urlOf(kind, source_id)
      if (url === undefined) return []
      if (item_id === null) {
        estimate.add(kind, url, thing.num_bytes)
        if (kind !== 'file')
          noteOutcome(summary, { kind, source_id, outcome: 'created', id: null, notes: [], wants: [] }, name)
        return []
      }
      const renew = async (): Promise<string | undefined> => (await thing.renew())?.(kind, source_id)
      return [{ itemId: item_id, kind, source_id, name, url, renew }]
    })
  }

  async function step(
    title: string,
    total: number | undefined,
    batches: AsyncIterable<Thing[]> | Iterable<Thing[]>,
  ): Promise<void> {
    show.start(title, total)
    for await (const things of batches) {
      await send(things)
      show.step(things.filter(({ kind }) => title === 'settings' || `${kind}s` === title).length)
    }
    show.end()
  }

  function printerOf(printer: SourcePrinter): Thing {
    return plain('printer', printer.id, printer.name ?? '', printerRecord(printer, keepsTokens))
  }

  function fileOf(file: SourceFile): Thing {
    const urlOf = (): string | undefined => file.url ?? undefined
    return {
      ...plain('file', file.id, file.filename ?? '', fileRecord(file)),
      urlOf,
      renew: () => renewedFile(file.id),
      num_bytes: file.num_bytes,
    }
  }

  async function renewedFile(id: number): Promise<Thing['urlOf'] | undefined> {
    const url = await lists.fileUrl(id)
    return url === undefined ? undefined : () => url
  }

  async function* filesOf(pages: AsyncIterable<SourceFile[]>): AsyncGenerator<Thing[]> {
    for await (const page of pages) {
      for (const { id } of page) knownFiles.add(id)
      yield page.map(fileOf)
    }
  }

  function printOf(print: SourcePrint): Thing {
    const urlOf =
      (from: SourcePrint) =>
      (kind: string, sourceId: number): string | undefined =>
        partUrl(from, kind, sourceId)
    const renew = async (): Promise<Thing['urlOf'] | undefined> => {
      const fresh = await lists.print(print.id)
      return fresh && urlOf(fresh)
    }
    return { ...plain('print', print.id, print.filename ?? '', printRecord(print)), urlOf: urlOf(print), renew }
  }

  /** Prints also name printers and files that are in no list: those that were deleted, and files that lie on a printer. */
  async function* printsOf(
    pages: AsyncIterable<SourcePrint[]>,
    printers: readonly SourcePrinter[],
  ): AsyncGenerator<Thing[]> {
    const known = new Set(printers.map(({ id }) => id))
    for await (const page of pages) {
      const things: Thing[] = []
      for (const { printer, g_code_file: file, started_at } of page) {
        if (printer != null && !known.has(printer.id) && only.has('printers')) {
          known.add(printer.id)
          // Nobody tells when it was deleted. The first print is an instant that stays the same in the next import.
          const archivedAt = started_at ?? printer.created_at ?? undefined
          things.push(plain('printer', printer.id, printer.name ?? '', printerRecord(printer, false, archivedAt)))
        }
        if (file != null && !knownFiles.has(file.id) && only.has('files')) {
          knownFiles.add(file.id)
          things.push(fileOf(file))
        }
      }
      if (things.length > 0) yield things
      yield page.map(printOf)
    }
  }

  async function settings(): Promise<void> {
    const list = await lists.settings()
    const things = list.map((setting) =>
      plain('notification_setting', setting.id, setting.name, settingRecord(setting)),
    )
    await step('settings', list.length + 1, [[plain('preferences', user.id, '', preferencesRecord(user))], things])
  }

  return { summary, estimate, step, printerOf, filesOf, printsOf, settings }
}
