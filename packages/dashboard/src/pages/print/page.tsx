import { ApiError, type Print } from '@printwarden/sdk'
import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { Chip } from '../../components/chip.js'
import { EventList } from '../../components/event-list.js'
import { Icon } from '../../components/icons.js'
import { usePageTitle } from '../../components/page-title.js'
import { PrintScore } from '../../components/print-score.js'
import { useEvents } from '../../components/use-events.js'
import { useScores } from '../../components/use-scores.js'
import { Moment } from '../../components/when.js'
import { secondsOf } from '../../format.js'
import { reasonOf } from '../../notices.js'
import { lastActionWords } from '../../teaching-words.js'
import { alertWords, printDuration, resultWords } from '../../wording.js'
import { AlertsPanel } from './alerts-panel.js'
import { MissingPage } from '../missing/page.js'
import { canFindMoments, type FilmWish } from './film-player.js'
import { PostMortemPanel } from './post-mortem-panel.js'
import { TimelapsePanel } from './timelapse-panel.js'

/** One print: how it went, what the failure detection thought, and what happened. */
export function PrintPage({ id }: { id: number }) {
  const { client, live } = useApp()
  const [print, setPrint] = useState<Print | undefined>(undefined)
  const [error, setError] = useState<unknown>(undefined)
  const isLive = live.status.value.state === 'live'
  // A running print changes under our eyes: its newest event is a reason to look again.
  const newest = live.events.value.find((event) => event.print === id)?.id
  usePageTitle(print?.filename ?? 'Print')

  useEffect(() => {
    const controller = new AbortController()
    client
      .getPrint({ id }, { signal: controller.signal })
      .then(setPrint)
      .catch((caught: unknown) => {
        if (!controller.signal.aborted) setError(caught)
      })
    return () => controller.abort()
  }, [id, isLive, newest])

  if (print !== undefined) return <Known print={print} onChange={setPrint} />
  if (error instanceof ApiError && error.code === 'not_found') return <MissingPage what="There is no such print" />
  if (error !== undefined) return <p class="tone-bad">The print could not be loaded: {reasonOf(error)}</p>
  return <p class="quiet">Loading the print…</p>
}

function Known({ print, onChange }: { print: Print; onChange: (print: Print) => void }) {
  const { live } = useApp()
  const printer = print.printer === null ? undefined : live.printers.value.get(print.printer.id)
  const events = useEvents({ print_id: print.id })
  const { samples, isLoaded } = useScores(print.id)
  const [wish, setWish] = useState<FilmWish | undefined>(undefined)
  const hasFailed = print.failed_at !== null || print.cancelled_at !== null
  const postMortem = print.ended_at !== null && (
    <PostMortemPanel
      print={print}
      hasFailed={hasFailed}
      onShow={canFindMoments(print) ? (ts) => setWish({ ts }) : undefined}
    />
  )
  return (
    <>
      <a class="back" href="/prints">
        <Icon name="back" /> Prints
      </a>
      <div class="page-head">
        <h1 class="file">{print.filename}</h1>
        <Chip words={resultWords(print, printer)} />
      </div>
      <div class="print-page">
        <TimelapsePanel print={print} wish={wish} onChange={onChange} />
        <Facts print={print} />
        {hasFailed && postMortem}
        <AlertsPanel print={print} />
        <section class="panel">
          <h2>Failure gauge</h2>
          {samples.length > 0 ? (
            <PrintScore print={print} samples={samples} />
          ) : (
            <p class="quiet">{isLoaded ? 'No picture of this print was checked.' : 'Loading…'}</p>
          )}
          {samples.length > 0 && (
            <a class="detection-link" href={`/prints/${print.id}/backtest`}>
              Look back with other settings <Icon name="forward" />
            </a>
          )}
        </section>
        {!hasFailed && postMortem}
        <section class="panel">
          <h2>History</h2>
          <EventList events={events} />
        </section>
      </div>
    </>
  )
}

function Facts({ print }: { print: Print }) {
  const { now } = useApp()
  const ended = print.finished_at ?? print.cancelled_at
  return (
    <section class="panel">
      <dl class="facts wide">
        <div>
          <dt>Printer</dt>
          <dd>{print.printer === null ? '–' : <a href={`/printers/${print.printer.id}`}>{print.printer.name}</a>}</dd>
        </div>
        <div>
          <dt>Started</dt>
          <dd>{print.started_at === null ? '–' : <Moment ts={secondsOf(print.started_at)} />}</dd>
        </div>
        <div>
          <dt>Ended</dt>
          <dd>{ended === null ? 'not yet' : <Moment ts={secondsOf(ended)} />}</dd>
        </div>
        <div>
          <dt>Duration</dt>
          <dd>{printDuration(print, now.value) ?? '–'}</dd>
        </div>
        {lastActionWords(print) !== undefined && (
          <div>
            <dt>Last action</dt>
            <dd>{lastActionWords(print)}</dd>
          </div>
        )}
        <div>
          <dt>Failure alert</dt>
          <dd>
            {alertWords(print)?.text ?? 'none'}
            {print.alerted_at !== null && (
              <>
                , <Moment ts={secondsOf(print.alerted_at)} />
              </>
            )}
          </dd>
        </div>
      </dl>
    </section>
  )
}
