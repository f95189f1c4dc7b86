import {
  type GCodeFile,
  type GCodeFileSaved,
  type GCodeFolder,
  type GCodeFolderFlat,
  NOT_WATCHING_REASONS,
  type NotWatchingCode,
  type Print,
  type Printer,
  type PrinterSummary,
} from '@printwarden/protocol'
import type { FakeFileRecord, FakePrinterRecord, FakePrintRecord, FakeState } from './fake-state.js'

/** Somebody who looks: only those who may write see a printer's `auth_token`. */
export interface FakeViewer {
  readonly canWrite: boolean
}

/** Why a fake's pictures are not checked: it takes none. */
function notWatchingCode(state: FakeState, printer: FakePrinterRecord): NotWatchingCode {
  const print = printer.currentPrintId === null ? undefined : state.prints.get(printer.currentPrintId)
  if (!printer.settings.watching_enabled) return 'disabled'
  if (printer.status === null) return 'offline'
  if (print === undefined || !printer.status.state.flags.printing) return 'not_printing'
  return print.summary.alert_muted_at === null ? 'no_picture' : 'muted'
}

export function printerSummary(state: FakeState, printer: FakePrinterRecord, viewer: FakeViewer): PrinterSummary {
  const code = notWatchingCode(state, printer)
  return {
    ...printer.settings,
    id: printer.id,
    created_at: printer.createdAt,
    not_watching_code: code,
    not_watching_reason: NOT_WATCHING_REASONS[code],
    auth_token: viewer.canWrite ? printer.authToken : null,
    archived_at: printer.archivedAt,
    agent_name: printer.isConnected ? 'fake' : null,
    agent_version: printer.isConnected ? '0.0.0' : null,
  }
}

export function printerView(state: FakeState, printer: FakePrinterRecord, viewer: FakeViewer): Printer {
  const print = printer.currentPrintId === null ? undefined : state.prints.get(printer.currentPrintId)
  return {
    ...printerSummary(state, printer, viewer),
    pic: null,
    status: printer.status,
    settings: {},
    current_print: print?.summary ?? null,
    normalized_p: print === undefined ? 0 : printer.normalizedP,
  }
}

export function printView(state: FakeState, print: FakePrintRecord, viewer: FakeViewer): Print {
  const printer = state.printers.get(print.printerId)
  const shots = [...state.shots.values()].filter(({ print_id }) => print_id === print.summary.id)
  return {
    ...print.summary,
    need_alert_overwrite: print.summary.alert_overwrite === null,
    need_print_shot_feedback: shots.length > 0 && shots.every(({ answer }) => answer === null),
    printer: printer === undefined ? null : printerSummary(state, printer, viewer),
    printshotfeedback_set: shots,
    firstlayerinspection_set: [],
  }
}

/** A folder with the numbers of what lies in it. */
export function folderFlat(state: FakeState, id: number): GCodeFolderFlat | null {
  const folder = state.folders.get(id)?.flat
  if (folder === undefined) return null
  const within = (parent: number | null): boolean => parent === id
  return {
    ...folder,
    g_code_folder_count: [...state.folders.values()].filter(({ flat }) => within(flat.parent_folder)).length,
    g_code_file_count: [...state.files.values()].filter(({ flat }) => within(flat.parent_folder)).length,
  }
}

export function folderView(state: FakeState, flat: GCodeFolderFlat): GCodeFolder {
  return { ...flat, parent_folder: flat.parent_folder === null ? null : folderFlat(state, flat.parent_folder) }
}

export function fileView(state: FakeState, { flat }: FakeFileRecord): GCodeFile {
  const prints = [...state.prints.values()].filter(({ summary }) => summary.g_code_file?.id === flat.id)
  return {
    ...flat,
    parent_folder: flat.parent_folder === null ? null : folderFlat(state, flat.parent_folder),
    print_set: prints.map(({ summary }) => summary),
  }
}

export const fileSaved = ({ flat: { user: _user, ...saved } }: FakeFileRecord): GCodeFileSaved => saved
