import type { Printer } from '@printwarden/sdk'
import { useApp } from '../../app-state.js'
import { useAction, useActionResult } from '../../components/use-action.js'
import { isUnconnected } from '../../wording.js'

const REFUSED = 'The command did not reach the printer: its agent is not connected.'

/** For a printer whose agent is there while its host has no connection to it: after a fault, or when it was switched off. */
export function ConnectControl({ printer }: { printer: Printer }) {
  const { client } = useApp()
  const { run } = useAction()
  const take = useActionResult()
  if (!isUnconnected(printer)) return null
  const connect = () =>
    run(
      'Could not connect',
      () => client.connectPrinter({ id: printer.id }),
      (result) => take(result, REFUSED),
    )
  return (
    <>
      <div class="buttons">
        <button type="button" class="button" onClick={connect}>
          Connect the printer
        </button>
      </div>
      <p class="hint">Its agent is there, but the printer is not connected. Check its power and its cable first.</p>
    </>
  )
}
