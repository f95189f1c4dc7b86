import { type PrintArgs, PRINT_REFUSALS, type PrinterStatus, type PrintRefusal } from '@printwarden/protocol'
import { findCurrentPrint } from '../prints/store.js'
import type { Clock, Database, LiveStore } from '../ports.js'
import { type CommandRow, findBeginningPrint } from '../printers/commands-store.js'
import type { CommandRequest, PrinterFlow } from '../printers/flow.js'
import { liveFactsOf, liveKeysOf } from '../printers/live-view.js'
import type { PrinterRow } from '../printers/store.js'
import type { GCodeFileRow } from './file-store.js'
import type { MediaUrl } from './flat-view.js'
import { refusalOf } from './printable.js'

export interface PrintFlowDeps {
  readonly database: Database
  readonly live: LiveStore
  readonly clock: Clock
  readonly printers: Pick<PrinterFlow, 'write' | 'sendWritten'>
}

type Actor = Pick<CommandRequest, 'initiator' | 'initiator_name' | 'reason'>

/** What became of the wish to print a stored file. */
export interface PrintOutcome {
  readonly succeeded: boolean
  readonly command_id: string | null
  readonly reason: { readonly code: PrintRefusal; readonly detail: string } | null
}

/** For so long after its agent took a print the printer may show nothing of it. One that goes on to show nothing can be told to print again. */
const BEGINNING_MS = 2 * 60_000
const BEGINNING = 'The printer was told to print a file just now, and has not begun yet.'

export type PrintFlow = ReturnType<typeof printFlow>

/** Sends stored files to printers. */
export function printFlow({ database, live, clock, printers }: PrintFlowDeps) {
  /** Hands the file to the printer's agent, when both are ready. Both were found to be the user's. */
  async function print(
    file: GCodeFileRow,
    printer: PrinterRow,
    actor: Actor,
    mediaUrl: MediaUrl,
  ): Promise<PrintOutcome> {
    const { blob_key, num_bytes, sha256, filename } = file
    if (blob_key === null || num_bytes === null || sha256 === null) return refused('not_stored', null)
    const url = mediaUrl(blob_key, filename)
    const args: PrintArgs = { g_code_file_id: file.id, filename, num_bytes, sha256, url }
    const command = { cmd: 'print', args, ...actor } as const
    const status = liveFactsOf([printer.id], await live.getMany(liveKeysOf([printer.id]))).get(printer.id)?.status
    const written = await writeUnlessRefused(printer, status ?? null, command)
    if ('succeeded' in written) return written
    const { succeeded, command_id } = await printers.sendWritten(written, command)
    return succeeded ? { succeeded, command_id, reason: null } : refused('not_connected', command_id)
  }

  /** In one transaction: of two who print on one printer at the same time, at whatever nodes, the second sees what the first is about to send. */
  async function writeUnlessRefused(
    printer: PrinterRow,
    status: PrinterStatus | null,
    command: CommandRequest,
  ): Promise<PrintOutcome | CommandRow> {
    return database.transaction(async (trx) => {
      const hasPrint = (await findCurrentPrint(trx, printer.id)) !== undefined
      const refusal = refusalOf({ hasBytes: true, isArchived: printer.archived_at !== null, hasPrint, status })
      if (refusal !== undefined) return refused(refusal, null)
      const isBeginning = await findBeginningPrint(trx, printer.id, clock.now() - BEGINNING_MS)
      return isBeginning === undefined ? printers.write(trx, printer, command) : refused('busy', null, BEGINNING)
    })
  }

  return { print }
}

function refused(code: PrintRefusal, command_id: string | null, detail: string = PRINT_REFUSALS[code]): PrintOutcome {
  return { succeeded: false, command_id, reason: { code, detail } }
}
