import type { Command } from '@printwarden/sdk'
import { useEffect } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { Icon } from '../../components/icons.js'
import { Ago } from '../../components/when.js'
import { secondsOf } from '../../format.js'
import { commandSteps, isUnderWay, type Step } from '../../wording.js'

const LOOK_MS = 3000
const SHOWN_SECONDS = 120

/** How far the printer's newest command is. It goes away some time after it has ended. */
export function CommandProgress({ printerId }: { printerId: number }) {
  const { live, now } = useApp()
  const command = live.commands.value.get(printerId)
  useFollowed(command)
  if (command === undefined) return <div role="status" />
  const startedAt = secondsOf(command.created_at)
  if (!isUnderWay(command) && now.value - startedAt > SHOWN_SECONDS) return <div role="status" />
  const { title, steps } = commandSteps(command)
  return (
    <div class="command" role="status">
      <p class="command-title">
        <strong>{title}</strong>
        <span class="quiet">
          <Ago ts={startedAt} />
        </span>
      </p>
      <ol>
        {steps.map((step) => (
          <li key={step.text} class={`step is-${step.state}`}>
            <StepMark state={step.state} />
            {step.text}
          </li>
        ))}
      </ol>
    </div>
  )
}

function StepMark({ state }: { state: Step['state'] }) {
  if (state === 'now') return <span class="spinner" aria-hidden="true" />
  return <Icon name={state === 'done' ? 'check' : state === 'failed' ? 'cross' : 'dot'} />
}

/** Looks after a command by itself while the live connection, which would tell, is away. */
function useFollowed(command: Command | undefined): void {
  const { client, live } = useApp()
  const isLive = live.status.value.state === 'live'
  const id = command !== undefined && isUnderWay(command) && !isLive ? command.id : undefined
  const printerId = command?.printer_id
  useEffect(() => {
    if (id === undefined || printerId === undefined) return
    const timer = setInterval(() => {
      // A failed look says nothing that the banner does not say already.
      client.getCommand({ id: printerId, command_id: id }).then(live.putCommand, () => undefined)
    }, LOOK_MS)
    return () => clearInterval(timer)
  }, [id, printerId])
}
