import type { ActionResult, Printer } from '@printwarden/sdk'
import { useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { ConfirmDialog } from '../../components/dialog.js'
import { Icon } from '../../components/icons.js'
import { useAction, useActionResult } from '../../components/use-action.js'
import { machineOrders } from '../../printer-commands.js'
import { FilesDialog } from './files-dialog.js'

const REFUSED = 'The command did not reach the printer: its agent is not connected.'

/** What can be ordered of the machine itself, beside its print. */
export function MachineControls({ printer }: { printer: Printer }) {
  const { client } = useApp()
  const { run } = useAction()
  const take = useActionResult()
  const [asking, setAsking] = useState<'stop' | 'restart' | 'files' | undefined>(undefined)
  const orders = machineOrders(printer)
  const input = { id: printer.id }
  const ask = (what: string, call: () => Promise<ActionResult>) => run(what, call, (result) => take(result, REFUSED))
  const close = () => setAsking(undefined)
  if (!orders.canStop && !orders.canRestart && !orders.canShowFiles && asking === undefined) return null
  return (
    <>
      <div class="buttons machine">
        {orders.canShowFiles && (
          <button type="button" class="button" onClick={() => setAsking('files')}>
            Files on the printer
          </button>
        )}
        {orders.canRestart && (
          <button type="button" class="button" onClick={() => setAsking('restart')}>
            Restart the firmware
          </button>
        )}
        {orders.canStop && (
          <button type="button" class="button danger-outline" onClick={() => setAsking('stop')}>
            <Icon name="alert" /> Emergency stop
          </button>
        )}
      </div>
      {asking === 'files' && <FilesDialog printer={printer} onClose={close} />}
      {asking === 'stop' && (
        <ConfirmDialog
          title="Stop the printer at once?"
          text={stopWords(printer)}
          confirm="Stop now"
          dismiss="Do not stop"
          onConfirm={() => ask('Could not stop it', () => client.emergencyStop(input))}
          onClose={close}
        />
      )}
      {asking === 'restart' && (
        <ConfirmDialog
          title="Restart the firmware?"
          text={`The firmware of ${printer.name} starts anew. Its heaters go off, and it forgets where its axes are.`}
          confirm="Restart it"
          dismiss="Leave it"
          onConfirm={() => ask('Could not restart it', () => client.restartFirmware(input))}
          onClose={close}
        />
      )}
    </>
  )
}

function stopWords({ name, current_print }: Printer): string {
  const lost = current_print === null ? '' : ` ${current_print.filename} is lost.`
  return `Motors and heaters of ${name} go off where they are.${lost} Afterwards the printer has to be restarted or connected again.`
}
