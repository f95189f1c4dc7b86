import { isLoopback } from '../loopback.js'
import { CopyButton } from './copy-button.js'

/** The command that makes a computer the agent of a printer, for the computer beside the printer. */
export function LinkCommand() {
  const command = `npx printwarden-agent link --server ${location.origin}`
  return (
    <div class="config">
      <div class="config-head">
        <code>{command}</code>
        <CopyButton text={command} label="Copy" />
      </div>
      {isLoopback(location.hostname) && (
        <p class="hint">
          This page was opened at <code>{location.host}</code>. If the printer is at another computer, write this
          server’s address in the network instead.
        </p>
      )}
    </div>
  )
}
