import type { Printer } from '@printwarden/sdk'
import { useApp } from '../../app-state.js'
import { Chip } from '../../components/chip.js'
import { ConnectAgent } from '../../components/connect-agent.js'
import { DetectorBanner } from '../../components/detector-banner.js'
import { EventList } from '../../components/event-list.js'
import { HeatChart } from '../../components/heat-chart.js'
import { Icon } from '../../components/icons.js'
import { usePageTitle } from '../../components/page-title.js'
import { PrintScore } from '../../components/print-score.js'
import { useEvents } from '../../components/use-events.js'
import { useScores } from '../../components/use-scores.js'
import { Ago } from '../../components/when.js'
import { timeOfDay } from '../../format.js'
import { hasNeverConnected, hasOpenAlert, isOffline, stateWords } from '../../wording.js'
import { MissingPage } from '../missing/page.js'
import { AlertPanel } from './alert-panel.js'
import { CameraPanel } from './camera-panel.js'
import { CamerasPanel } from './cameras-panel.js'
import { ConnectionPanel } from './connection-panel.js'
import { JobPanel } from './job-panel.js'
import { SettingsPanel } from './settings-panel.js'
import { WatchingPanel } from './watching-panel.js'

/** One printer: its picture, its print, what the server thinks of it, and what can be done. */
export function PrinterPage({ id }: { id: number }) {
  const { live } = useApp()
  const printer = live.printers.value.get(id)
  usePageTitle(printer?.name ?? 'Printer', hasOpenAlert(printer?.current_print ?? null))
  if (printer !== undefined) return <Known printer={printer} />
  if (!live.isLoaded.value)
    return (
      <p class="quiet" aria-busy="true">
        Loading the printer…
      </p>
    )
  return <MissingPage what="There is no such printer" />
}

function Known({ printer }: { printer: Printer }) {
  const { live } = useApp()
  const events = useEvents({ printer_id: printer.id })
  const isStale = live.lostAt.value !== undefined
  const print = printer.current_print
  const isNew = hasNeverConnected(printer)
  return (
    <>
      <a class="back" href="/">
        <Icon name="back" /> Printers
      </a>
      <div class="page-head">
        <h1>{printer.name}</h1>
        <Chip words={stateWords(printer)} />
        <LastSeen printer={printer} />
      </div>
      <DetectorBanner printers={[printer]} />
      {print !== null && hasOpenAlert(print) && <AlertPanel printer={printer} print={print} events={events} />}
      <div class={`printer-columns ${isStale ? 'is-stale' : ''}`}>
        <div class="printer-camera">
          {isNew ? <ConnectAgent printer={printer} /> : <CameraPanel printer={printer} />}
        </div>
        <div class="printer-side">
          {!isNew && <JobPanel printer={printer} />}
          {!isNew && <WatchingPanel printer={printer} />}
          <SettingsPanel printer={printer} />
          <ConnectionPanel printer={printer} />
        </div>
        <div class="printer-charts">
          <CamerasPanel printer={printer} />
          {print !== null && <ScorePanel key={print.id} printId={print.id} printer={printer} />}
          <HeatPanel printer={printer} />
          <section class="panel">
            <h2>History</h2>
            <EventList events={events} />
          </section>
        </div>
      </div>
    </>
  )
}

/** Says when the printer was last heard from, when it is away. */
function LastSeen({ printer }: { printer: Printer }) {
  const { live } = useApp()
  if (!isOffline(printer)) return null
  const heard = live.heardAt.value.get(printer.id) ?? printer.pic?.ts
  if (heard === undefined) return null
  return (
    <span class="quiet">
      last seen <Ago ts={heard} />
    </span>
  )
}

function ScorePanel({ printer, printId }: { printer: Printer; printId: number }) {
  const { samples, isLoaded } = useScores(printId)
  return (
    <section class="panel">
      <h2>Failure gauge over this print</h2>
      {samples.length > 0 && printer.current_print !== null ? (
        <PrintScore print={printer.current_print} samples={samples} />
      ) : (
        <p class="quiet">{isLoaded ? nothingWords(printer) : 'Loading…'}</p>
      )}
    </section>
  )
}

function nothingWords({ watching }: Printer): string {
  return watching.frames_analysed > 0
    ? 'Nothing odd has been seen so far.'
    : 'No picture of this print has been checked yet.'
}

function HeatPanel({ printer }: { printer: Printer }) {
  const { live } = useApp()
  const samples = live.heat.value.get(printer.id) ?? []
  const [first] = samples
  if (first === undefined) return null
  return (
    <section class="panel">
      <h2>
        Temperatures <span class="quiet">since {timeOfDay(first.ts)}, when this page was opened</span>
      </h2>
      <HeatChart samples={samples} />
    </section>
  )
}
