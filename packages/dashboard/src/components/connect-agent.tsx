import type { Printer } from '@printwarden/sdk'
import { AgentCommand, AgentConfig } from './agent-config.js'

/** How to connect the agent of a printer that has none yet. */
export function ConnectAgent({ printer }: { printer: Printer }) {
  return (
    <section class="panel">
      <h2>Connect the agent of {printer.name}</h2>
      <p>
        Write this on the computer beside the printer. The token lets an agent speak for this printer, so keep it to
        yourself; it can be read again on the printer’s page.
      </p>
      <AgentConfig name={printer.name} token={printer.auth_token ?? undefined} />
      <p class="after-config">Then start the agent there:</p>
      <AgentCommand />
    </section>
  )
}
