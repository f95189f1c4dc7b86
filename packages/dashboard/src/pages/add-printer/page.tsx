import type { Printer } from '@printwarden/sdk'
import { useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { Icon } from '../../components/icons.js'
import { usePageTitle } from '../../components/page-title.js'
import { ByHand } from './by-hand.js'
import { ExistingAgent } from './existing-agent.js'
import { LinkForm } from './link-form.js'
import { LinkWaiting } from './link-waiting.js'

/** What was done on this page: an agent was linked, or a printer made whose token is to be copied. */
type Done =
  | { readonly how: 'linked' | 'linked_existing'; readonly printer: Printer; readonly ts: number }
  | { readonly how: 'by_hand' }

/**
 * Adds a printer by the code that its agent shows, or gives a printer another agent.
 *
 * @param code a code to begin with, from the QR code of an agent
 * @param passcode the same from an agent of another service
 * @param printerId the printer that gets another agent; undefined for a new printer
 */
export function AddPrinterPage(props: {
  code: string | undefined
  passcode: string | undefined
  printerId: number | undefined
}) {
  const { code, passcode, printerId } = props
  const { live, now } = useApp()
  const [done, setDone] = useState<Done | undefined>(undefined)
  const moved = printerId === undefined ? undefined : live.printers.value.get(printerId)
  const title = moved === undefined ? 'Add a printer' : `Move ${moved.name} to another agent`
  usePageTitle(title)
  return (
    <section class="narrow">
      <a class="back" href={moved === undefined ? '/' : `/printers/${moved.id}`}>
        <Icon name="back" /> {moved?.name ?? 'Printers'}
      </a>
      <h1>{title}</h1>
      {(done?.how === 'linked' || done?.how === 'linked_existing') && (
        <LinkWaiting linked={done.printer} since={done.ts} isExisting={done.how === 'linked_existing'} />
      )}
      {done === undefined && passcode === undefined && (
        <LinkForm
          key={printerId}
          code={code}
          moved={moved}
          onLinked={(printer) => setDone({ how: 'linked', printer, ts: now.value })}
        />
      )}
      {done === undefined && (
        <ExistingAgent
          passcode={passcode}
          printerId={printerId}
          onLinked={(printer) => setDone({ how: 'linked_existing', printer, ts: now.value })}
        />
      )}
      {(done === undefined || done.how === 'by_hand') && moved === undefined && (
        <ByHand onCreated={() => setDone({ how: 'by_hand' })} />
      )}
    </section>
  )
}
