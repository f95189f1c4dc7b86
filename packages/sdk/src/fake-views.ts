import {
  type GCodeFile,
  type GCodeFileSaved,
  type GCodeFolder,
  type GCodeFolderFlat,
  NOT_WATCHING_ADVICE,
  NOT_WATCHING_REASONS,
  type NotWatchingCode,
  type Print,
  type Printer,
  type PrinterSummary,
  type Watching,
} from '@printwarden/protocol'
import { camerasOf, cameraWatching } from './fake-camera-records.js'
import { FAKE_MODEL } from './fake-model.js'
import type { FakeFileRecord, FakePrinterRecord, FakePrintRecord, FakeScore, FakeState } from './fake-state.js'

/** Somebody who looks: only those who may write see a printer's `auth_token`. */
export interface FakeViewer {
  readonly canWrite: boolean
}

/** For how long an analysed picture proves that a print is watched. */
const FRESH_MS = 90_000

/** The scores that were kept of the current print. */
function currentScores(state: FakeState, printer: FakePrinterRecord): readonly FakeScore[] {
  return printer.currentPrintId === null ? [] : (state.scores.get(printer.currentPrintId) ?? [])
}

/** Why a print is not watched; null when a picture of it was analysed lately. */
function notWatchingCode(state: FakeState, printer: FakePrinterRecord): NotWatchingCode | null {
  const print = printer.currentPrintId === null ? undefined : state.prints.get(printer.currentPrintId)
  if (!printer.settings.watching_enabled) return 'disabled'
  if (printer.status === null) return 'offline'
  if (print === undefined || !printer.status.state.flags.printing) return 'not_printing'
  if (print.summary.alert_muted_at !== null) return 'muted'
  const last = currentScores(state, printer).at(-1)
  const isFresh = last !== undefined && Date.parse(state.now()) - last.ts * 1000 <= FRESH_MS
  return isFresh ? null : 'no_picture'
}

/** Proof of watching, by what the test says was analysed. */
function watchingView(state: FakeState, printer: FakePrinterRecord): Watching {
  const cameras = camerasOf(state, printer.id).map(cameraWatching)
  const [primary] = cameras
  const scores = currentScores(state, printer)
  const last = scores.at(-1)
  const code = notWatchingCode(state, printer)
  return {
    is_watching: code === null,
    advice: code === null ? null : NOT_WATCHING_ADVICE[code],
    last_frame_at: primary?.last_frame_at ?? null,
    last_analysed_at: last === undefined ? null : new Date(last.ts * 1000).toISOString(),
    last_score: last?.score ?? null,
    model: last === undefined ? (primary?.model ?? null) : FAKE_MODEL,
    frames_analysed: scores.length,
    self_test: primary?.self_test ?? null,
    cameras,
  }
}

export function printerSummary(state: FakeState, printer: FakePrinterRecord, viewer: FakeViewer): PrinterSummary {
  const code = notWatchingCode(state, printer)
  return {
    ...printer.settings,
    id: printer.id,
    created_at: printer.createdAt,
    not_watching_code: code,
    not_watching_reason: code === null ? null : NOT_WATCHING_REASONS[code],
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
    pic: camerasOf(state, printer.id)[0]?.camera.pic ?? null,
    status: printer.status,
    settings: {},
    current_print: print?.summary ?? null,
    normalized_p: print === undefined ? 0 : printer.normalizedP,
    watching: watchingView(state, printer),
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
