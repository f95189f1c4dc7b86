import type { Printer } from '@printwarden/sdk'
import { useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { Dialog } from '../../components/dialog.js'
import { useAction, useActionResult } from '../../components/use-action.js'
import { offers } from '../../printer-commands.js'

const REFUSED = 'The command did not reach the printer: its agent is not connected, or nothing is being printed.'

/** Leaves one of several objects out of the print: the others go on. */
export function ObjectsControl({ printer }: { printer: Printer }) {
  const [isOpen, setOpen] = useState(false)
  const objects = printer.status?.objects ?? []
  if (printer.current_print === null || objects.length < 2 || !offers(printer, 'exclude_object')) return null
  return (
    <>
      <div class="buttons">
        <button type="button" class="button" onClick={() => setOpen(true)}>
          Leave an object out
        </button>
      </div>
      {isOpen && (
        <Dialog title="Leave an object out" onClose={() => setOpen(false)}>
          <h2>Leave an object out</h2>
          <p>
            When one object has come loose, the others can still be finished. What is left out cannot be taken in again.
          </p>
          <ul class="rows">
            {objects.map(({ name, excluded }) => (
              <ObjectRow key={name} printer={printer} name={name} isOut={excluded} />
            ))}
          </ul>
          <div class="dialog-buttons">
            <button type="button" class="button" onClick={() => setOpen(false)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}

function ObjectRow({ printer, name, isOut }: { printer: Printer; name: string; isOut: boolean }) {
  const { client } = useApp()
  const { run } = useAction()
  const take = useActionResult()
  const [isAsking, setAsking] = useState(false)
  const exclude = () =>
    run(
      'Could not leave it out',
      () => client.excludeObject({ id: printer.id, name }),
      (result) => take(result, REFUSED),
    )
  return (
    <li class="row">
      <p class="file row-words">{name}</p>
      {isOut ? (
        <span class="quiet">left out</span>
      ) : isAsking ? (
        <button type="button" class="button danger small" onClick={exclude}>
          Leave it out for good
        </button>
      ) : (
        <button type="button" class="button small" onClick={() => setAsking(true)}>
          Leave out
        </button>
      )}
    </li>
  )
}
