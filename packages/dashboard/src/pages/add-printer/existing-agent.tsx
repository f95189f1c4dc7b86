import type { Printer } from '@printwarden/sdk'
import { useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { CopyButton } from '../../components/copy-button.js'
import { duration, secondsOf } from '../../format.js'
import { isLoopback } from '../../loopback.js'
import { groupedCode } from './existing-words.js'
import { FoundAgents } from './found-agents.js'
import { PasscodeForm } from './passcode-form.js'
import { type LinkCode, useLinkCode } from './use-link-code.js'

interface ExistingAgentProps {
  /** A passcode to begin with, from the link that an agent shows. */
  readonly passcode: string | undefined
  /** The printer that gets this agent; undefined for a new printer. */
  readonly printerId: number | undefined
  readonly onLinked: (printer: Printer) => void
}

/** The ways of an agent of another service that is there already. No code is made before somebody opens it. */
export function ExistingAgent(props: ExistingAgentProps) {
  const [isOpen, setOpen] = useState(props.passcode !== undefined)
  return (
    <details class="panel" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>An OctoPrint or Klipper agent you already have</h2>
      </summary>
      {isOpen && <Ways {...props} />}
    </details>
  )
}

function Ways({ passcode, printerId, onLinked }: ExistingAgentProps) {
  const { live } = useApp()
  const code = useLinkCode(printerId, (printer) => {
    live.putPrinter(printer)
    onLinked(printer)
  })
  return (
    <div class="stack">
      <p>An agent that reports to another service can report here instead. First write this as its server address:</p>
      <ServerAddress />
      {printerId !== undefined && (
        <p class="quiet">Its history stays. The agent that it has now is cut off as soon as the other one is linked.</p>
      )}
      {passcode !== undefined && <PasscodeForm code={code} passcode={passcode} />}
      <FoundAgents code={code} />
      <div>
        <h3>Type this code at the agent</h3>
        <Code code={code} />
        <p class="quiet">
          In OctoPrint the plugin’s wizard asks for it, at Klipper the agent’s link script. Leave this page open: it
          goes on by itself.
        </p>
      </div>
      {passcode === undefined && (
        <div>
          <h3>Or enter the code that it shows</h3>
          <PasscodeForm code={code} passcode={undefined} />
        </div>
      )}
    </div>
  )
}

function ServerAddress() {
  return (
    <div class="config">
      <div class="config-head">
        <code>{location.origin}</code>
        <CopyButton text={location.origin} label="Copy" />
      </div>
      {isLoopback(location.hostname) && (
        <p class="hint">
          This page was opened at <code>{location.host}</code>. If the agent is at another computer, write this server’s
          address in the network instead.
        </p>
      )}
    </div>
  )
}

function Code({ code }: { code: LinkCode | undefined }) {
  const { now } = useApp()
  if (code?.code === undefined || code.code === null) return <p class="quiet">Asking for a code…</p>
  return (
    <p>
      <output class="link-code">{groupedCode(code.code)}</output>{' '}
      <span class="quiet">good for {duration(secondsOf(code.expired_at) - now.value)}</span>
    </p>
  )
}
