import { PRINT_REFUSALS, type PrintFileResult, type PrintRefusal } from '@printwarden/protocol'
import { begin, currentPrint } from './fake-agent.js'
import type { FakeCall } from './fake-api.js'
import { viewerOf } from './fake-handlers.js'
import { type CommandPolicy, sendCommand } from './fake-printers.js'
import type { FakeFileRecord, FakePrinterRecord, FakeState } from './fake-state.js'
import { printerView } from './fake-views.js'

/** Hands a stored file to a printer's agent, or says why not. */
export function printFile(
  state: FakeState,
  policy: CommandPolicy,
  { call, file, printer }: { call: Pick<FakeCall, 'scopes'>; file: FakeFileRecord; printer: FakePrinterRecord },
): PrintFileResult {
  const refusal = refusalOf(state, printer)
  const reason = refusal === null ? null : { code: refusal, detail: PRINT_REFUSALS[refusal] }
  const sent =
    refusal === null
      ? sendCommand(state, printer, 'print', policy, () => {
          const begun = begin(state, printer, file.flat.filename)
          begun.summary = { ...begun.summary, g_code_file: file.flat }
        })
      : { succeeded: false, command_id: null }
  return { ...sent, printer: printerView(state, printer, viewerOf(call)), reason }
}

function refusalOf(state: FakeState, printer: FakePrinterRecord): PrintRefusal | null {
  if (printer.archivedAt !== null) return 'archived'
  if (printer.status === null) return 'offline'
  return currentPrint(state, printer) === undefined ? null : 'busy'
}
