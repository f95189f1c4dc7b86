import type { Backtest, BacktestSettings, Camera, Print, PrintFrame } from '@printwarden/sdk'
import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { Icon } from '../../components/icons.js'
import { usePageTitle } from '../../components/page-title.js'
import { ProgressBar } from '../../components/progress-bar.js'
import { useAction } from '../../components/use-action.js'
import { reasonOf } from '../../notices.js'
import { comparison } from '../../teaching-words.js'
import { BacktestChart } from './backtest-chart.js'
import { FrameScrubber } from './frame-scrubber.js'
import { SettingsForm } from './settings-form.js'

const POLL_MS = 1_500

/** The time machine: a past print judged again with other settings, beside what really happened. */
export function BacktestPage({ id }: { id: number }) {
  const { client } = useApp()
  const [print, setPrint] = useState<Print | undefined>(undefined)
  const [cameras, setCameras] = useState<readonly Camera[]>([])
  const [frames, setFrames] = useState<readonly PrintFrame[]>([])
  const [error, setError] = useState<unknown>(undefined)
  usePageTitle(print === undefined ? 'Look back' : `Look back at ${print.filename}`)

  useEffect(() => {
    const load = async () => {
      const loaded = await client.getPrint({ id })
      setPrint(loaded)
      setFrames(await client.listPrintFrames({ id }))
      if (loaded.printer === null) return
      setCameras(await client.listCameras({ id: loaded.printer.id }))
    }
    load().catch(setError)
  }, [id])

  if (error !== undefined) return <p class="tone-bad">The print could not be loaded: {reasonOf(error)}</p>
  if (print === undefined) return <p class="quiet">Loading the print…</p>
  return (
    <>
      <a class="back" href={`/prints/${id}`}>
        <Icon name="back" /> {print.filename}
      </a>
      <div class="page-head">
        <h1>Look back</h1>
      </div>
      <Machine print={print} cameras={cameras} frames={frames} setFrames={setFrames} />
    </>
  )
}

function Machine(props: {
  print: Print
  cameras: readonly Camera[]
  frames: readonly PrintFrame[]
  setFrames: (frames: readonly PrintFrame[]) => void
}) {
  const { print, cameras, frames } = props
  const { client, notices } = useApp()
  const { isBusy, run } = useAction()
  const [backtest, setBacktest] = useState<Backtest | undefined>(undefined)
  const isOpen = backtest?.status === 'queued' || backtest?.status === 'running'

  const start = (settings: BacktestSettings) =>
    run('Could not look back', () => client.backtestPrint({ id: print.id, ...settings }), setBacktest)

  // What is there already: the print by today's settings.
  useEffect(() => start({ model: 'kept_scores' }), [print.id])

  useEffect(() => {
    if (backtest === undefined || !isOpen) return
    const timer = setTimeout(() => {
      client
        .getBacktest({ id: backtest.id })
        .then(setBacktest, (error: unknown) => notices.complain('Could not follow it', error))
    }, POLL_MS)
    return () => clearTimeout(timer)
  }, [backtest])

  const result = backtest?.result ?? null
  return (
    <div class="backtest-page">
      <SettingsForm
        print={print}
        cameras={cameras}
        hasPictures={frames.length > 0}
        isBusy={isBusy || isOpen}
        start={start}
      />
      <section class="panel backtest-result" aria-live="polite">
        <h2>{result === null ? 'What would have happened' : comparison(result)}</h2>
        {isOpen && backtest !== undefined && (
          <>
            <p class="quiet">Looking at the pictures again, while no live picture waits…</p>
            <ProgressBar label="Looking again" value={backtest.progress * 100} />
          </>
        )}
        {backtest?.error != null && <p class="tone-bad">{backtest.error}</p>}
        {result !== null && result.ts.length === 0 && <p class="quiet">No picture of this print was checked.</p>}
        {result !== null && result.ts.length > 0 && <BacktestChart result={result} print={print} />}
        {result?.notes.map((note) => (
          <p key={note} class="hint">
            {note}
          </p>
        ))}
      </section>
      <FrameScrubber print={print} frames={frames} result={result} />
    </div>
  )
}
