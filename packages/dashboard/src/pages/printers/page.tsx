import type { Printer } from '@printwarden/sdk'
import { useApp } from '../../app-state.js'
import { DetectorBanner } from '../../components/detector-banner.js'
import { Icon } from '../../components/icons.js'
import { usePageTitle } from '../../components/page-title.js'
import { hasOpenAlert } from '../../wording.js'
import { PrinterCard } from './card.js'
import { NoPrinters } from './empty.js'

/** All printers at a glance. */
export function PrintersPage() {
  const { live } = useApp()
  const printers = [...live.printers.value.values()].sort((a, b) => a.name.localeCompare(b.name) || a.id - b.id)
  const alerted = printers.filter((printer) => hasOpenAlert(printer.current_print))
  usePageTitle('Printers', alerted.length > 0)

  if (!live.isLoaded.value) return <LoadingCards />
  if (printers.length === 0) return <NoPrinters />
  return (
    <>
      <div class="page-head">
        <h1>Printers</h1>
        <a class="button" href="/printers/new">
          <Icon name="plus" /> Add a printer
        </a>
      </div>
      <DetectorBanner printers={printers} />
      {alerted.length > 0 && <AlertStrip printers={alerted} />}
      <ul class={`cards count-${Math.min(printers.length, 3)}`}>
        {printers.map((printer) => (
          <li key={printer.id}>
            <PrinterCard printer={printer} />
          </li>
        ))}
      </ul>
    </>
  )
}

function AlertStrip({ printers }: { printers: readonly Printer[] }) {
  return (
    <div class="alert-strip" role="alert">
      <Icon name="alert" />
      <span>
        {printers.length === 1 ? 'A print looks like a failure: ' : `${printers.length} prints look like failures: `}
        {printers.map((printer, index) => (
          <span key={printer.id}>
            {index > 0 && ', '}
            <a href={`/printers/${printer.id}`}>{printer.name}</a>
          </span>
        ))}
      </span>
    </div>
  )
}

function LoadingCards() {
  return (
    <>
      <div class="page-head">
        <h1>Printers</h1>
      </div>
      <ul class="cards count-3" aria-busy="true" aria-label="Loading the printers">
        {[1, 2, 3].map((number) => (
          <li key={number}>
            <div class="card is-loading">
              <div class="picture" />
              <div class="card-body">
                <span class="bone" />
                <span class="bone short" />
                <span class="bone" />
              </div>
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}
