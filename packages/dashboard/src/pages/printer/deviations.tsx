import type { Deviation, Printer } from '@printwarden/sdk'
import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { Moment } from '../../components/when.js'
import { secondsOf } from '../../format.js'

/** What the server forgives this printer's agent, for whoever wants to know. Nothing is shown of an agent that keeps to the protocol. */
export function Deviations({ printer }: { printer: Printer }) {
  const deviations = useDeviations(printer)
  if (deviations.length === 0) return null
  return (
    <details class="deviations">
      <summary class="quiet">
        The agent speaks another dialect: {deviations.length} {deviations.length === 1 ? 'thing is' : 'things are'}{' '}
        forgiven
      </summary>
      <p class="quiet">
        Nothing has to be done. Where a print or a state is not shown as expected, the reason may be here.
      </p>
      <ul class="quiet">
        {deviations.map(({ kind, detail, count, last_seen_at }) => (
          <li key={kind}>
            {detail} Seen {count === 1 ? 'once' : `${count.toLocaleString('en')} times`}, last{' '}
            <Moment ts={secondsOf(last_seen_at)} />.
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Asked for when the page is opened, and when another agent has come. */
function useDeviations({ id, agent_name, agent_version }: Printer): readonly Deviation[] {
  const { client } = useApp()
  const [deviations, setDeviations] = useState<readonly Deviation[]>([])
  useEffect(() => {
    if (agent_name === null) return
    const controller = new AbortController()
    // Left out when it cannot be had: nothing depends on it.
    client.listDeviations({ id }, { signal: controller.signal }).then(setDeviations, () => undefined)
    return () => controller.abort()
  }, [id, agent_name, agent_version])
  return deviations
}
