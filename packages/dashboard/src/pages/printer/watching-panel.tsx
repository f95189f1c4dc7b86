import type { Printer, PrintSummary } from '@printwarden/sdk'
import { useApp } from '../../app-state.js'
import { Gauge } from '../../components/gauge.js'
import { Icon } from '../../components/icons.js'
import { useAction, useActionResult } from '../../components/use-action.js'
import { Ago } from '../../components/when.js'
import { secondsOf } from '../../format.js'
import { alertWords, hasOpenAlert, isWatchedByPicture } from '../../wording.js'
import { Proof } from './proof.js'

/** Whether the print is watched, what the detection thinks, and what it may do. */
export function WatchingPanel({ printer }: { printer: Printer }) {
  const print = printer.current_print
  return (
    <section class="panel watching-panel">
      <h2>Watching</h2>
      <Gauge printer={printer} />
      <Proof printer={printer} />
      {print !== null && <AnsweredAlert print={print} />}
      {print !== null && printer.action_on_failure !== 'NONE' && !isWatchedByPicture(printer) && (
        <AutomaticPause printer={printer} print={print} />
      )}
      {print !== null && <MuteButton printer={printer} print={print} />}
    </section>
  )
}

function AnsweredAlert({ print }: { print: PrintSummary }) {
  const words = alertWords(print)
  if (words === undefined || print.alerted_at === null || hasOpenAlert(print)) return null
  return (
    <p class="quiet">
      {words.text}, <Ago ts={secondsOf(print.alerted_at)} />.
    </p>
  )
}

/** A print is paused by itself once; a second time only when it is allowed again. */
function AutomaticPause({ printer, print }: { printer: Printer; print: PrintSummary }) {
  const { client, notices, rearmed } = useApp()
  const { run } = useAction()
  const take = useActionResult()
  if (print.paused_at === null)
    return (
      <p class="hint">
        If it looks like a failure, Printwarden pauses the print, once
        {printer.action_on_failure === 'CANCEL' ? ', and cancels it when nobody answers for ten minutes' : ''}.
      </p>
    )
  if (rearmed.value.has(print.id))
    return <p class="hint">If it looks like a failure again, Printwarden pauses the print once more.</p>
  const rearm = () =>
    run(
      'Could not allow it',
      () => client.rearmPrinter({ id: printer.id }),
      (result) => {
        take(result, 'There is no print to pause.')
        if (!result.succeeded) return
        rearmed.value = new Set([...rearmed.value, print.id])
        notices.say('Printwarden may pause this print once more.')
      },
    )
  return (
    <div class="stack">
      <p class="hint">Printwarden has paused this print once, and will not do so again unless you allow it.</p>
      <button type="button" class="button small" onClick={rearm}>
        <Icon name="pause" /> Allow another automatic pause
      </button>
    </div>
  )
}

function MuteButton({ printer, print }: { printer: Printer; print: PrintSummary }) {
  const { client } = useApp()
  const { run } = useAction()
  const take = useActionResult()
  const isMuted = print.alert_muted_at !== null
  const toggle = () =>
    run(
      isMuted ? 'Could not turn it on' : 'Could not mute it',
      () => client.muteCurrentPrint({ id: printer.id, mute_alert: !isMuted }),
      (result) => take(result, 'Nothing is being printed.'),
    )
  return (
    <button type="button" class="button small" onClick={toggle}>
      <Icon name={isMuted ? 'bell' : 'bell-off'} /> {isMuted ? 'Watch this print again' : 'Mute for this print'}
    </button>
  )
}
