import type { Printer } from '@printwarden/sdk'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { ConnectAgent } from '../../components/connect-agent.js'
import { Icon } from '../../components/icons.js'
import { usePageTitle } from '../../components/page-title.js'
import { useAction } from '../../components/use-action.js'
import { isOffline } from '../../wording.js'

/** Adds a printer, shows how to connect its agent, and waits for it. */
export function AddPrinterPage() {
  const [created, setCreated] = useState<Printer | undefined>(undefined)
  usePageTitle('Add a printer')
  return (
    <section class="narrow">
      <a class="back" href="/">
        <Icon name="back" /> Printers
      </a>
      <h1>Add a printer</h1>
      {created === undefined ? <NameForm onCreated={setCreated} /> : <Connect created={created} />}
    </section>
  )
}

function NameForm({ onCreated }: { onCreated: (printer: Printer) => void }) {
  const { client } = useApp()
  const [name, setName] = useState('')
  const { isBusy, run } = useAction()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    run('Could not add the printer', () => client.createPrinter({ name: name.trim() }), onCreated)
  }
  return (
    <form class="panel form" onSubmit={submit}>
      <label class="field">
        <span>Name</span>
        <input
          name="name"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
          placeholder="Such as Prusa MK4, left"
          maxLength={256}
          required
          ref={field}
          autocomplete="off"
        />
      </label>
      <button type="submit" class="button primary" disabled={name.trim() === ''}>
        {isBusy ? 'Adding…' : 'Add the printer'}
      </button>
    </form>
  )
}

function Connect({ created }: { created: Printer }) {
  const { live } = useApp()
  const printer = live.printers.value.get(created.id) ?? created
  const isThere = !isOffline(printer)
  return (
    <>
      <ConnectAgent printer={created} />
      <div class={`panel waiting ${isThere ? 'is-there' : ''}`} role="status">
        {isThere ? <Icon name="check" /> : <span class="spinner" aria-hidden="true" />}
        <span>{isThere ? 'The agent is connected.' : 'Waiting for the agent to connect…'}</span>
        <a class={`button ${isThere ? 'primary' : ''}`} href={`/printers/${created.id}`}>
          Open {created.name}
        </a>
      </div>
    </>
  )
}
