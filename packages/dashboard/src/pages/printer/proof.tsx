import type { Printer, SelfTest } from '@printwarden/sdk'
import { useApp } from '../../app-state.js'
import { Icon } from '../../components/icons.js'
import { useAction } from '../../components/use-action.js'
import { Ago, Moment } from '../../components/when.js'
import { secondsOf } from '../../format.js'
import { proofWords } from '../../watching-words.js'

/** Whether somebody watches, since when, and the last proof of it. */
export function Proof({ printer }: { printer: Printer }) {
  const words = proofWords(printer)
  const { watching } = printer
  return (
    <div class="proof">
      <p class={`watching tone-${words.tone}`} role="status">
        <Icon name={words.tone === 'good' ? 'eye' : 'eye-off'} /> <strong>{words.text}</strong>
      </p>
      {watching.advice !== null && words.tone === 'bad' && <p class="proof-advice">{watching.advice}</p>}
      <p class="quiet proof-facts">
        {watching.last_analysed_at === null ? (
          'No picture has been checked yet'
        ) : (
          <>
            Last look <Ago ts={secondsOf(watching.last_analysed_at)} />
          </>
        )}
        {' · '}
        <SelfTestFact test={watching.self_test} />
      </p>
      {watching.self_test?.passed === false && watching.self_test.error !== null && (
        <p class="proof-advice">{watching.self_test.error}</p>
      )}
      {watching.cameras.length > 0 && <SelfTestButton printer={printer} />}
    </div>
  )
}

function SelfTestFact({ test }: { test: SelfTest | null }) {
  if (test === null) return <>no self-test yet</>
  return (
    <span class={test.passed ? '' : 'is-bad'} title={test.error ?? `found in ${Math.round(test.took_ms)} ms`}>
      self-test {test.passed ? 'passed' : 'failed'} <Moment ts={secondsOf(test.at)} />
    </span>
  )
}

/** Sends a known failure the way of the camera's pictures. The page shows what came of it by itself. */
function SelfTestButton({ printer }: { printer: Printer }) {
  const { client, notices } = useApp()
  const { run, isBusy } = useAction()
  const test = () =>
    run(
      'Could not run the self-test',
      () => client.runSelfTest({ id: printer.id }),
      ({ passed, took_ms, error }) =>
        notices.say(
          passed
            ? `The self-test passed: the failure was found in ${Math.round(took_ms)} ms.`
            : `The self-test failed. ${error ?? ''}`,
        ),
    )
  return (
    <button type="button" class="button small" aria-busy={isBusy} onClick={test}>
      <Icon name="check" /> {isBusy ? 'Testing…' : 'Run a self-test'}
    </button>
  )
}
