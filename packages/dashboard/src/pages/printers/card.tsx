import type { Printer } from '@printwarden/sdk'
import { useApp } from '../../app-state.js'
import { Chip } from '../../components/chip.js'
import { Gauge } from '../../components/gauge.js'
import { Icon } from '../../components/icons.js'
import { LivePicture } from '../../components/live-picture.js'
import { ProgressBar } from '../../components/progress-bar.js'
import { Ago } from '../../components/when.js'
import { duration, percent, temperature } from '../../format.js'
import {
  hasNeverConnected,
  hasOpenAlert,
  isOffline,
  isWatchedByPicture,
  stateWords,
  watchingWords,
} from '../../wording.js'

/** One printer at a glance. The whole card leads to its page. */
export function PrinterCard({ printer }: { printer: Printer }) {
  const { live } = useApp()
  const isStale = live.lostAt.value !== undefined
  const isAway = isOffline(printer)
  const isAlerted = hasOpenAlert(printer.current_print)
  const classes = ['card', isAway && 'is-away', isAlerted && 'is-alerted', isStale && 'is-stale']
    .filter(Boolean)
    .join(' ')
  return (
    <article class={classes}>
      <div class="card-picture">
        <LivePicture
          pic={printer.pic}
          isRaw={false}
          isCurrent={printer.status?.state.text === 'Printing'}
          name={printer.name}
        />
        <Chip words={stateWords(printer)} />
      </div>
      <div class="card-body">
        <div class="card-name">
          <h2>
            <a href={`/printers/${printer.id}`}>{printer.name}</a>
          </h2>
          {printer.current_print !== null && !isAway && <span class="figure">{percentOf(printer) ?? ''}</span>}
        </div>
        {isAway ? <AwayLines printer={printer} /> : <JobLines printer={printer} />}
        {!isAway && (
          <>
            {printer.current_print !== null && <Gauge printer={printer} />}
            <p class="card-line">
              <Temperatures printer={printer} />
            </p>
          </>
        )}
        <WatchingLine printer={printer} isAlerted={isAlerted} />
      </div>
    </article>
  )
}

function JobLines({ printer }: { printer: Printer }) {
  if (printer.current_print === null) return <p class="card-line quiet">Nothing is being printed.</p>
  if (isWatchedByPicture(printer)) return <p class="card-line file">{printer.current_print.filename}</p>
  const progress = printer.status?.progress
  const left = progress?.printTimeLeft
  return (
    <>
      <div class="card-line spread">
        <span class="file" title={printer.current_print.filename}>
          {printer.current_print.filename}
        </span>
        <span class="quiet nowrap">
          {left === null || left === undefined ? 'time left unknown' : `${duration(left)} left`}
        </span>
      </div>
      <ProgressBar value={progress?.completion} label={`Progress of ${printer.current_print.filename}`} />
    </>
  )
}

function AwayLines({ printer }: { printer: Printer }) {
  const { live } = useApp()
  const heard = live.heardAt.value.get(printer.id) ?? printer.pic?.ts
  if (hasNeverConnected(printer)) {
    return <p class="card-line quiet">Its agent has not connected yet. Open it to see how to set it up.</p>
  }
  return (
    <>
      {printer.current_print !== null && (
        <p class="card-line">
          <span class="file">{printer.current_print.filename}</span> was being printed.
        </p>
      )}
      <p class="card-line quiet">
        {heard === undefined ? (
          'Not heard from lately.'
        ) : (
          <>
            Last seen <Ago ts={heard} />.
          </>
        )}
      </p>
    </>
  )
}

function WatchingLine({ printer, isAlerted }: { printer: Printer; isAlerted: boolean }) {
  const words = watchingWords(printer)
  if (isAlerted) {
    return (
      <p class="card-line watching tone-bad">
        <Icon name="alert" /> Possible failure{printer.current_print?.paused_at ? ', paused by Printwarden' : ''}
      </p>
    )
  }
  return (
    <p class={`card-line watching tone-${words.tone}`}>
      <Icon name={printer.not_watching_code === null ? 'eye' : 'eye-off'} /> {words.text}
    </p>
  )
}

/** The heaters in one line. */
function Temperatures({ printer }: { printer: Printer }) {
  const { tool0, bed, chamber } = printer.status?.temperatures ?? {}
  const parts = [
    ['Nozzle', temperature(tool0)],
    ['Bed', temperature(bed)],
    ['Chamber', temperature(chamber)],
  ].filter(([, value]) => value !== undefined)
  if (isWatchedByPicture(printer)) return <span class="quiet">Watched by picture only</span>
  if (parts.length === 0) return <span class="quiet">No temperatures reported</span>
  return (
    <span class="temperatures">
      {parts.map(([name, value]) => (
        <span key={name}>
          <span class="quiet">{name}</span> {value}
        </span>
      ))}
    </span>
  )
}

function percentOf(printer: Printer): string | undefined {
  const completion = printer.status?.progress?.completion
  return completion === null || completion === undefined ? undefined : percent(completion)
}
