import type { Printer } from '@printwarden/sdk'
import { useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { AgentConfig } from '../../components/agent-config.js'
import { ConfirmDialog } from '../../components/dialog.js'
import { useAction } from '../../components/use-action.js'
import { Deviations } from './deviations.js'

/** The printer's name, its agent and token, and the way to remove it. */
export function ConnectionPanel({ printer }: { printer: Printer }) {
  return (
    <details class="panel">
      <summary>
        <h2>Printer and agent</h2>
      </summary>
      <div class="stack">
        <NameForm printer={printer} />
        <p class="quiet">
          {printer.agent_name === null
            ? 'No agent has connected yet.'
            : `Agent: ${printer.agent_name} ${printer.agent_version ?? ''}`}
        </p>
        <Deviations printer={printer} />
        <a class="button small" href={`/printers/new?printer_id=${printer.id}`}>
          Move to another agent
        </a>
        <TokenDetails printer={printer} />
        <RemoveButton printer={printer} />
      </div>
    </details>
  )
}

function NameForm({ printer }: { printer: Printer }) {
  const { client, live } = useApp()
  const { run } = useAction()
  const [name, setName] = useState(printer.name)
  const isChanged = name.trim() !== '' && name.trim() !== printer.name
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    run('Could not rename it', () => client.updatePrinter({ id: printer.id, name: name.trim() }), live.putPrinter)
  }
  return (
    <form class="inline-form" onSubmit={submit}>
      <label class="field">
        <span>Name</span>
        <input
          value={name}
          maxLength={256}
          onInput={(event) => setName(event.currentTarget.value)}
          autocomplete="off"
        />
      </label>
      <button type="submit" class="button" disabled={!isChanged}>
        Rename
      </button>
    </form>
  )
}

function TokenDetails({ printer }: { printer: Printer }) {
  const [isShown, setShown] = useState(false)
  if (printer.auth_token === null) return null
  if (!isShown) {
    return (
      <button type="button" class="button small" onClick={() => setShown(true)}>
        Show the agent’s configuration and token
      </button>
    )
  }
  return <AgentConfig name={printer.name} token={printer.auth_token} />
}

function RemoveButton({ printer }: { printer: Printer }) {
  const { client, live, navigation, notices } = useApp()
  const { run } = useAction()
  const [isAsking, setAsking] = useState(false)
  const remove = () =>
    run(
      'Could not remove it',
      () => client.deletePrinter({ id: printer.id }),
      () => {
        live.dropPrinter(printer.id)
        notices.say(`${printer.name} was removed.`)
        navigation.go('/')
      },
    )
  return (
    <>
      <button type="button" class="button small danger-outline" onClick={() => setAsking(true)}>
        Remove this printer
      </button>
      {isAsking && (
        <ConfirmDialog
          title={`Remove ${printer.name}?`}
          text="The printer, its prints and all its pictures are deleted for good. Its agent is no longer let in."
          confirm="Remove it"
          dismiss="Keep it"
          onConfirm={remove}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
