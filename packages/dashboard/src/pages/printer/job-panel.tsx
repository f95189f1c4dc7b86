import type { Printer } from '@printwarden/sdk'
import { useApp } from '../../app-state.js'
import { ProgressBar } from '../../components/progress-bar.js'
import { Moment } from '../../components/when.js'
import { duration, percent, secondsOf, temperature } from '../../format.js'
import { lastActionWords } from '../../teaching-words.js'
import { isOffline, isWatchedByPicture } from '../../wording.js'
import { CommandProgress } from './command-progress.js'
import { ConnectControl } from './connect-control.js'
import { Controls } from './controls.js'
import { MachineControls } from './machine-controls.js'
import { ObjectsControl } from './objects-control.js'
import { PromptPanel } from './prompt-panel.js'
import { WatchControls } from './watch-controls.js'

/** The running print and the buttons that steer it. */
export function JobPanel({ printer }: { printer: Printer }) {
  const error = printer.status?.state.error
  const byPicture = isWatchedByPicture(printer)
  return (
    <section class="panel job">
      <h2>Print</h2>
      <PromptPanel printer={printer} />
      {error !== undefined && error !== '' && <p class="tone-bad error-line">{error}</p>}
      {printer.current_print === null ? (
        <p class="quiet">{byPicture ? BY_PICTURE : 'Nothing is being printed.'}</p>
      ) : (
        <Running printer={printer} />
      )}
      <Heaters printer={printer} />
      {byPicture ? <WatchControls printer={printer} /> : <Controls printer={printer} />}
      <ObjectsControl printer={printer} />
      <ConnectControl printer={printer} />
      <MachineControls printer={printer} />
      <CommandProgress printerId={printer.id} />
    </section>
  )
}

const BY_PICTURE =
  'This printer is watched by picture alone: its temperatures and its progress are not known. Say when it prints.'

function Running({ printer }: { printer: Printer }) {
  const print = printer.current_print
  if (print === null) return null
  const progress = isOffline(printer) ? undefined : printer.status?.progress
  const completion = progress?.completion ?? undefined
  return (
    <>
      <p class="file">{print.filename}</p>
      {isWatchedByPicture(printer) && <p class="quiet">Watched by picture only: no progress and no temperatures.</p>}
      {progress !== undefined && !isWatchedByPicture(printer) && (
        <div class="job-progress">
          <span class="figure">{completion === undefined ? '–' : percent(completion)}</span>
          <ProgressBar value={completion} label={`Progress of ${print.filename}`} />
        </div>
      )}
      <dl class="facts">
        {progress !== undefined && !isWatchedByPicture(printer) && (
          <Fact name="Time left">
            <TimeLeft
              seconds={progress.printTimeLeft ?? undefined}
              isRunning={printer.status?.state.text === 'Printing'}
            />
          </Fact>
        )}
        {print.started_at !== null && (
          <Fact name="Started">
            <Moment ts={secondsOf(print.started_at)} />
          </Fact>
        )}
        {printer.status?.state.text === 'Paused' && <OptionalFact name="Last action" text={lastActionWords(print)} />}
        <OptionalFact name="Printing for" text={progress?.printTime ? duration(progress.printTime) : undefined} />
        <OptionalFact name="Layer" text={layerText(printer)} />
        <OptionalFact name="Height" text={heightText(printer)} />
      </dl>
    </>
  )
}

function TimeLeft({ seconds, isRunning }: { seconds: number | undefined; isRunning: boolean }) {
  const { now } = useApp()
  if (seconds === undefined) return <>not known</>
  // The end moves on while the print stands still, so it is only told while it runs. Whole minutes keep it calm.
  const end = Math.round((now.value + seconds) / 60) * 60
  return (
    <>
      {duration(seconds)}
      {isRunning && (
        <span class="quiet below">
          until <Moment ts={end} />
        </span>
      )}
    </>
  )
}

function Heaters({ printer }: { printer: Printer }) {
  const { tool0, bed, chamber } = printer.status?.temperatures ?? {}
  const shown = [
    { name: 'Nozzle', text: temperature(tool0) },
    { name: 'Bed', text: temperature(bed) },
    { name: 'Chamber', text: temperature(chamber) },
  ].filter((heater) => heater.text !== undefined)
  if (shown.length === 0) return null
  return (
    <dl class="facts">
      {shown.map((heater) => (
        <Fact key={heater.name} name={heater.name}>
          {heater.text}
        </Fact>
      ))}
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** A fact that the host may not know. */
function OptionalFact({ name, text }: { name: string; text: string | undefined }) {
  return text === undefined ? null : <Fact name={name}>{text}</Fact>
}

function layerText(printer: Printer): string | undefined {
  const layer = printer.status?.currentLayerHeight
  if (layer === undefined) return undefined
  const total = printer.status?.file_metadata?.service?.totalLayerCount
  return total === null || total === undefined ? String(layer) : `${layer} of ${total}`
}

function heightText(printer: Printer): string | undefined {
  const z = printer.status?.currentZ
  return z === undefined ? undefined : `${z.toFixed(2)} mm`
}
