import type { Printer } from '@printwarden/sdk'
import { useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { ConnectAgent } from '../../components/connect-agent.js'
import { Icon } from '../../components/icons.js'
import { useAction } from '../../components/use-action.js'
import { isOffline } from '../../wording.js'

/** The way without a code: makes a printer, shows its token for the configuration, and waits for the agent. */
export function ByHand({ onCreated }: { onCreated: () => void }) {
  const [created, setCreated] = useState<Printer | undefined>(undefined)
  if (created !== undefined) return <Connect created={created} />
  return (
    <NameForm
      onCreated={(printer) => {
        setCreated(printer)
        onCreated()
      }}
    />
  )
}

function NameForm({ onCreated }: { onCreated: (printer: Printer) => void }) {
  const { client } = useApp()
  const [name, setName] = useState('')
  const { isBusy, run } = useAction()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    run('Could not add the printer', () => client.createPrinter({ name: name.trim() }), onCreated)
  }
  return (
    <form class="panel form" onSubmit={submit}>
      <h2>Or by hand</h2>
      <p class="quiet">Without a code you get a token, and write the agent’s configuration yourself.</p>
      <label class="field">
        <span>Name</span>
        <input
          name="name"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
          placeholder="Such as Prusa MK4, left"
          maxLength={256}
          required
          autocomplete="off"
        />
      </label>
      <button type="submit" class="button" disabled={name.trim() === ''}>
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
