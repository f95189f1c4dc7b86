import type { ActionResult, Printer } from '@printwarden/sdk'
import { useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { Icon } from '../../components/icons.js'
import { useAction, useActionResult } from '../../components/use-action.js'
import { isOffline } from '../../wording.js'

const REFUSED = 'The command did not reach the printer: its agent is not connected.'
const UNNAMED = 'Watched by picture'

/** The buttons of a printer that only its camera tells of: a person says when its prints begin and end. */
export function WatchControls({ printer }: { printer: Printer }) {
  const { client } = useApp()
  const { run } = useAction()
  const take = useActionResult()
  const [name, setName] = useState('')
  const ask = (what: string, call: () => Promise<ActionResult>) => run(what, call, (result) => take(result, REFUSED))
  const input = { id: printer.id }
  if (isOffline(printer)) return null
  if (printer.current_print !== null) {
    const stop = (status: 'success' | 'cancelled') =>
      ask('Could not stop watching', () => client.finishPrint({ ...input, status }))
    return (
      <>
        <div class="buttons">
          <button type="button" class="button primary" onClick={() => stop('success')}>
            <Icon name="stop" /> Stop watching
          </button>
          <button type="button" class="button" onClick={() => stop('cancelled')}>
            It was cancelled
          </button>
        </div>
        <p class="hint">Only its camera tells of this printer: pause or cancel at the printer itself.</p>
      </>
    )
  }
  const start = (event: Event) => {
    event.preventDefault()
    const filename = name.trim() === '' ? UNNAMED : name.trim()
    ask('Could not start watching', () => client.startPrint({ ...input, filename }))
  }
  return (
    <form class="form" onSubmit={start}>
      <label class="field">
        What is being printed (optional)
        <input
          type="text"
          maxLength={200}
          placeholder={UNNAMED}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <div class="buttons">
        <button type="submit" class="button primary">
          <Icon name="eye" /> Start watching
        </button>
      </div>
    </form>
  )
}
