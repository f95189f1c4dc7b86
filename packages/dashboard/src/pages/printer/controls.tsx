import type { ActionResult, Printer } from '@printwarden/sdk'
import { useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { ConfirmDialog } from '../../components/dialog.js'
import { Icon } from '../../components/icons.js'
import { useAction, useActionResult } from '../../components/use-action.js'
import { controlsOf } from '../../wording.js'

const REFUSED = 'The command did not reach the printer: its agent is not connected, or nothing is being printed.'

/** The buttons that steer a print. */
export function Controls({ printer }: { printer: Printer }) {
  const { client } = useApp()
  const { run } = useAction()
  const take = useActionResult()
  const controls = controlsOf(printer)
  const ask = (what: string, call: () => Promise<ActionResult>) => run(what, call, (result) => take(result, REFUSED))
  const input = { id: printer.id }
  if (printer.current_print === null) return null
  return (
    <>
      <div class="buttons">
        {controls.canResume ? (
          <button
            type="button"
            class="button primary"
            onClick={() => ask('Could not resume', () => client.resumePrint(input))}
          >
            <Icon name="play" /> Resume
          </button>
        ) : (
          <button
            type="button"
            class="button primary"
            disabled={!controls.canPause}
            onClick={() => ask('Could not pause', () => client.pausePrint(input))}
          >
            <Icon name="pause" /> Pause
          </button>
        )}
        <CancelButton
          printer={printer}
          isDisabled={!controls.canCancel}
          onConfirm={() => ask('Could not cancel', () => client.cancelPrint(input))}
        />
      </div>
      {controls.hint !== undefined && <p class="hint">{controls.hint}</p>}
    </>
  )
}

/** A button that cancels the print, after a question. */
export function CancelButton(props: { printer: Printer; isDisabled: boolean; onConfirm: () => void }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <button type="button" class="button danger-outline" disabled={props.isDisabled} onClick={() => setAsking(true)}>
        <Icon name="stop" /> Cancel print
      </button>
      {isAsking && (
        <ConfirmDialog
          title="Cancel this print?"
          text={`${props.printer.current_print?.filename ?? 'The print'} on ${props.printer.name} is stopped and cannot be continued.`}
          confirm="Cancel the print"
          dismiss="Keep printing"
          onConfirm={props.onConfirm}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
