import { ApiError } from '../errors.js'
import type { Clock, Database, LiveStore } from '../ports.js'
import type { PrinterStatus } from '@printwarden/protocol'
import { liveFactsOf, liveKeysOf } from '../printers/live-view.js'
import { findVisiblePrinter, listPrinters, type PrinterRow } from '../printers/store.js'
import type { GCodeFileRow } from './file-store.js'
import type { MediaUrl } from './flat-view.js'
import type { FolderFlow } from './folder-flow.js'
import { findFolderNamed } from './folder-store.js'
import { checkedName } from './input.js'
import { checkFolderName, safeName } from './names.js'
import type { PrintFlow } from './print-flow.js'
import { folderNamesOf } from './slicer-input.js'

export interface SlicerFlowDeps {
  readonly database: Database
  readonly live: LiveStore
  readonly clock: Clock
  readonly folders: Pick<FolderFlow, 'create'>
  readonly printing: PrintFlow
}

export type SlicerFlow = ReturnType<typeof slicerFlow>

/** What slicers take for granted: that folders are there, and that a server has one printer. */
export function slicerFlow({ database, live, folders, printing }: SlicerFlowDeps) {
  const { db } = database

  /**
   * The user's printer of this id or name.
   *
   * @throws {ApiError} not_found, also for a name that several have
   */
  async function getPrinter(userId: number, idOrName: string): Promise<PrinterRow> {
    const id = /^[1-9]\d{0,15}$/.test(idOrName) ? Number(idOrName) : Number.NaN
    const byId = Number.isSafeInteger(id) ? await findVisiblePrinter(db, userId, id) : undefined
    if (byId !== undefined) return byId
    const named = await listPrinters(db, userId, { withArchived: false })
    const [printer, another] = named.filter(({ name }) => isSameName(name, idOrName))
    if (printer === undefined || another !== undefined) throw new ApiError('not_found')
    return printer
  }

  /**
   * The printer that is meant: the named one, or the user's only one. G-code is made for one machine and may damage another, so one
   * of several is never guessed.
   */
  async function findMeant(userId: number, idOrName: string | undefined): Promise<PrinterRow | undefined> {
    if (idOrName !== undefined) return getPrinter(userId, idOrName)
    const [printer, another] = await listPrinters(db, userId, { withArchived: false })
    return another === undefined ? printer : undefined
  }

  /** What the printer is doing; null when it is offline. */
  async function statusOf({ id }: PrinterRow): Promise<PrinterStatus | null> {
    const status = liveFactsOf([id], await live.getMany(liveKeysOf([id]))).get(id)?.status ?? null
    return status?.state.text === 'Offline' ? null : status
  }

  /**
   * The folder at the end of a path of names, made where it is missing; null for none.
   *
   * @throws {ApiError} invalid_request for a name that cannot be, or too many of them
   */
  async function folderAt(userId: number, path: string): Promise<number | null> {
    const names = folderNamesOf(path).map((name) => checkedName(name, checkFolderName, 'path'))
    let parent: number | null = null
    for (const name of names) parent = await childOf(userId, parent, name)
    return parent
  }

  async function childOf(userId: number, parent: number | null, name: string): Promise<number> {
    const find = () => findFolderNamed(db, userId, { parent_folder_id: parent, safe_name: safeName(name) })
    const found = await find()
    if (found !== undefined) return found.id
    try {
      return (await folders.create(userId, { name, parent_folder: parent })).id
    } catch (error) {
      // Two uploads at once may both find it missing.
      const made = await find()
      if (made === undefined) throw error
      return made.id
    }
  }

  /**
   * Prints a file that was just stored.
   *
   * @throws {ApiError} invalid_request, with the reason, when it is not printed; the file stays. Not `conflict`, since Cura tells of
   * 409 in words of its own that are about something else.
   */
  async function print(userId: number, file: GCodeFileRow, printer: PrinterRow | undefined, mediaUrl: MediaUrl) {
    if (printer === undefined) throw notPrinted(await reasonForNone(userId))
    const { reason } = await printing.print(file, printer, { initiator: 'api' }, mediaUrl)
    if (reason !== null) throw notPrinted(reason.detail)
  }

  async function reasonForNone(userId: number): Promise<string> {
    const [printer] = await listPrinters(db, userId, { withArchived: false })
    return printer === undefined ? 'You have no printer.' : "Which printer? Add /printers/NAME to the server's address."
  }

  return { getPrinter, findMeant, statusOf, folderAt, print }
}

const isSameName = (name: string, wanted: string): boolean => fold(name) === fold(wanted)

const fold = (name: string): string => name.normalize('NFC').trim().toLowerCase()

// Cura shows the first 100 characters.
const notPrinted = (reason: string): ApiError => new ApiError('invalid_request', `Stored, but not printed. ${reason}`)
