import type { Alert, AnsweredAlert, Print } from '@printwarden/sdk'
import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { ScoreChart } from '../../components/score-chart.js'
import { useAction } from '../../components/use-action.js'
import { Moment } from '../../components/when.js'
import { secondsOf } from '../../format.js'
import { answerEffect, OUTCOME_WORDS } from '../../teaching-words.js'

/** The failure alerts of a print: what was seen, by which rule, and what its user says about it. */
export function AlertsPanel({ print }: { print: Print }) {
  const { client, notices } = useApp()
  const [alerts, setAlerts] = useState<readonly Alert[]>([])
  const [answered, setAnswered] = useState<AnsweredAlert | undefined>(undefined)

  useEffect(() => {
    const controller = new AbortController()
    client.listPrintAlerts({ id: print.id }, { signal: controller.signal }).then(setAlerts, (error: unknown) => {
      if (!controller.signal.aborted) notices.complain('Could not load the alerts', error)
    })
    return () => controller.abort()
  }, [print.id, print.alerted_at, print.alert_overwrite])

  if (alerts.length === 0) return null
  const put = (result: AnsweredAlert) => {
    setAnswered(result)
    setAlerts((known) => known.map((alert) => (alert.id === result.alert.id ? result.alert : alert)))
  }
  return (
    <section class="panel" id="alerts">
      <h2>{alerts.length === 1 ? 'Failure alert' : 'Failure alerts'}</h2>
      <ol class="alert-records">
        {alerts.map((alert) => (
          <li key={alert.id}>
            <AlertRecord alert={alert} answered={answered?.alert.id === alert.id ? answered : undefined} put={put} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function AlertRecord(props: {
  alert: Alert
  answered: AnsweredAlert | undefined
  put: (result: AnsweredAlert) => void
}) {
  const { alert } = props
  const { evidence } = alert
  const picture = alert.image_url ?? alert.raw_url
  const samples = evidence.history.map(({ ts, normalized_p }) => ({ ts, score: normalized_p }))
  const tone = alert.outcome === 'warning' ? 'warning' : 'bad'
  return (
    <article class="alert-record" aria-label={OUTCOME_WORDS[alert.outcome]}>
      {picture !== null && <img src={picture} alt="What the failure detection found" loading="lazy" />}
      <div class="alert-record-words">
        <h3 class={`tone-${tone}`}>{OUTCOME_WORDS[alert.outcome]}</h3>
        <p class="quiet">
          <Moment ts={secondsOf(alert.created_at)} />
          {alert.camera !== null && alert.camera.name !== '' && ` · ${alert.camera.name}`}
        </p>
        <p>{alert.explanation}</p>
        <Answer {...props} />
        <details>
          <summary>The ten minutes before, and the numbers</summary>
          {samples.length > 1 && (
            <ScoreChart
              samples={samples}
              marks={[{ ts: alert.frame_ts, text: 'alert', tone: 'bad' }]}
              startedAt={undefined}
              endedAt={undefined}
            />
          )}
          <Numbers alert={alert} />
        </details>
      </div>
    </article>
  )
}

function Answer({ alert, answered, put }: Parameters<typeof AlertRecord>[0]) {
  const { client } = useApp()
  const { run } = useAction()
  const say = (answer: Alert['answer']) =>
    run('Could not keep the answer', () => client.answerAlert({ id: alert.id, answer }), put)
  const effect = answered && answerEffect(answered)
  return (
    <div class="alert-answer">
      <div class="buttons">
        <button
          type="button"
          class="button small"
          aria-pressed={alert.answer === 'NOT_FAILED'}
          onClick={() => say('NOT_FAILED')}
        >
          Not a failure
        </button>
        <button
          type="button"
          class="button small"
          aria-pressed={alert.answer === 'FAILED'}
          onClick={() => say('FAILED')}
        >
          It is a failure
        </button>
        {alert.answer !== null && (
          <button type="button" class="button small" onClick={() => say(null)}>
            Undo
          </button>
        )}
      </div>
      <p class="hint" role="status">
        {alert.answer !== null &&
          `${alert.answered_by ?? 'Somebody'} said: ${alert.answer === 'FAILED' ? 'a failure' : 'not a failure'}. `}
        {effect}
      </p>
    </div>
  )
}

function Numbers({ alert }: { alert: Alert }) {
  const { rule, parts, model, settings } = alert.evidence
  const action = settings['action_on_failure']
  const rows: [string, string][] = [
    ['Score of this picture', rule.score.toFixed(2)],
    ['…as it counted', rule.judged_score.toFixed(2)],
    ['Average of the last pictures', rule.mean.toFixed(2)],
    ["This camera's good pictures", rule.norm.toFixed(2)],
    ['Gauge', `${Math.round(rule.normalized_p * 100)}%`],
    ['Sensitivity', rule.sensitivity.toFixed(2)],
    ['Smoothing', rule.smoothing],
    ...parts.map((part): [string, string] => [PART_WORDS[part.name], partEffect(part)]),
    ['When it fails', typeof action === 'string' ? action : '–'],
    ['Model', model],
  ]
  return (
    <dl class="facts wide numbers">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function partEffect({ before, after, boxes_left_out }: Alert['evidence']['parts'][number]): string {
  const boxes = boxes_left_out ? `${boxes_left_out} left out` : undefined
  if (before.toFixed(2) === after.toFixed(2)) return boxes ?? 'no effect'
  return [`${before.toFixed(2)} → ${after.toFixed(2)}`, boxes].filter(Boolean).join(', ')
}

const PART_WORDS: Readonly<Record<Alert['evidence']['parts'][number]['name'], string>> = {
  ignore_regions: 'Ignored regions',
  tiles: 'Looked at in tiles',
  clean_bed: 'Clean bed',
  baseline: 'Usual places',
  prototypes: 'Known pictures',
  calibration: 'Your answers',
}
