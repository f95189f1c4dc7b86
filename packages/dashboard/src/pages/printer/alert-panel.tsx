import type { ActionResult, Printer, PrinterEvent, PrintSummary } from '@printwarden/sdk'
import { useApp } from '../../app-state.js'
import { Icon } from '../../components/icons.js'
import { useAction, useActionResult } from '../../components/use-action.js'
import { Ago } from '../../components/when.js'
import { secondsOf } from '../../format.js'
import { controlsOf, isWatchedByPicture } from '../../wording.js'
import { CancelButton } from './controls.js'

const REFUSED = 'The command did not reach the printer: its agent is not connected.'

/** A failure alert that nobody has answered: what was seen, and the possible answers. */
export function AlertPanel(props: {
  printer: Printer
  print: PrintSummary
  events: readonly PrinterEvent[] | undefined
}) {
  const { printer, print, events } = props
  const picture = events?.find((event) => event.event_type === 'FAILURE_ALERTED' && event.print === print.id)?.image_url
  const isPaused = printer.status?.state.text === 'Paused'
  return (
    <section class="panel alert-panel" role="alert" aria-labelledby="alert-title">
      {picture && (
        <figure>
          <img src={picture} alt="What the failure detection found" />
          <figcaption>What was found</figcaption>
        </figure>
      )}
      <div class="alert-words">
        <h2 id="alert-title">
          <Icon name="alert" /> This print looks like a failure
        </h2>
        <p>
          Noticed {print.alerted_at !== null && <Ago ts={secondsOf(print.alerted_at)} />} in {print.filename}.{' '}
          {print.paused_at !== null && isPaused && 'Printwarden has paused the print.'}
          {isWatchedByPicture(printer) &&
            'It goes on: only its camera tells of this printer, so nobody but you can pause it, at the printer itself.'}
          {!isPaused &&
            !isWatchedByPicture(printer) &&
            printer.action_on_failure === 'NONE' &&
            'It goes on, since this printer is set to only alert.'}
        </p>
        <Answers printer={printer} isPaused={isPaused} />
      </div>
    </section>
  )
}

function Answers({ printer, isPaused }: { printer: Printer; isPaused: boolean }) {
  const { client } = useApp()
  const { run } = useAction()
  const take = useActionResult()
  const controls = controlsOf(printer)
  const input = { id: printer.id }
  const ask = (what: string, call: () => Promise<ActionResult>) => run(what, call, (result) => take(result, REFUSED))
  const answer = (verdict: 'FAILED' | 'NOT_FAILED') =>
    ask('Could not answer the alert', () => client.acknowledgeAlert({ ...input, alert_overwrite: verdict }))
  return (
    <>
      {!isWatchedByPicture(printer) && (
        <div class="buttons">
          {isPaused && (
            <button
              type="button"
              class="button primary"
              disabled={!controls.canResume}
              onClick={() => ask('Could not resume', () => client.resumePrint(input))}
            >
              <Icon name="play" /> False alarm, resume
            </button>
          )}
          {!isPaused && (
            <button
              type="button"
              class="button primary"
              disabled={!controls.canPause}
              onClick={() => ask('Could not pause', () => client.pausePrint(input))}
            >
              <Icon name="pause" /> Pause
            </button>
          )}
          <CancelButton
            printer={printer}
            isDisabled={!controls.canCancel}
            onConfirm={() => ask('Could not cancel', () => client.cancelPrint(input))}
          />
        </div>
      )}
      <div class="buttons answer">
        <span class="quiet">{isWatchedByPicture(printer) ? 'What do you see?' : 'Or just answer:'}</span>
        <button type="button" class="button small" onClick={() => answer('FAILED')}>
          It has failed
        </button>
        <button type="button" class="button small" onClick={() => answer('NOT_FAILED')}>
          False alarm
        </button>
      </div>
    </>
  )
}
