import type { Printer } from '@printwarden/sdk'
import { useEffect } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { Icon } from '../../components/icons.js'
import { isOffline } from '../../wording.js'

/**
 * Follows a printer that was linked until its agent has spoken. One of another service's does so by itself, and then there is nothing
 * left to do here: the printer's page opens.
 */
export function LinkWaiting(props: { linked: Printer; since: number; isExisting: boolean }) {
  const { linked, since, isExisting } = props
  const { live, navigation } = useApp()
  const printer = live.printers.value.get(linked.id) ?? linked
  // A printer that was moved may still show what its agent before said last.
  const heardAt = live.heardAt.value.get(linked.id) ?? 0
  // Whether the printer is switched on is for its own page to say.
  const isThere = (isExisting || !isOffline(printer)) && heardAt > since
  useEffect(() => {
    if (isExisting && isThere) navigation.go(`/printers/${linked.id}`)
  }, [isExisting, isThere])
  const start = isExisting
    ? 'it connects by itself within a minute'
    : 'start it there with “printwarden-agent run”, or “install” to start it always'
  return (
    <div class={`panel waiting ${isThere ? 'is-there' : ''}`} role="status">
      {isThere ? <Icon name="check" /> : <span class="spinner" aria-hidden="true" />}
      <span>
        {isThere ? `${printer.name} is online.` : `Linked to ${printer.name}. Waiting for its agent: ${start}.`}
      </span>
      <a class={`button ${isThere ? 'primary' : ''}`} href={`/printers/${linked.id}`}>
        Open {printer.name}
      </a>
    </div>
  )
}
