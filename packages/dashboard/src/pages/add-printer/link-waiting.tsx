import type { Printer } from '@printwarden/sdk'
import { useApp } from '../../app-state.js'
import { Icon } from '../../components/icons.js'
import { isOffline } from '../../wording.js'

/** Follows a printer that was linked until its agent has spoken, which it does by itself. */
export function LinkWaiting({ linked, since }: { linked: Printer; since: number }) {
  const { live } = useApp()
  const printer = live.printers.value.get(linked.id) ?? linked
  // A printer that was moved may still show what its agent before said last.
  const heardAt = live.heardAt.value.get(linked.id) ?? 0
  const isThere = !isOffline(printer) && heardAt > since
  return (
    <div class={`panel waiting ${isThere ? 'is-there' : ''}`} role="status">
      {isThere ? <Icon name="check" /> : <span class="spinner" aria-hidden="true" />}
      <span>
        {isThere
          ? `${printer.name} is online.`
          : `Linked to ${printer.name}. Waiting for its agent: start it there with “printwarden-agent run”, or “install” to start it always.`}
      </span>
      <a class={`button ${isThere ? 'primary' : ''}`} href={`/printers/${linked.id}`}>
        Open {printer.name}
      </a>
    </div>
  )
}
