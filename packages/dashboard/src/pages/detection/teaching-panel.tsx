import type { Calibration, Camera, DetectionExample } from '@printwarden/sdk'
import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { useAction } from '../../components/use-action.js'
import { Moment } from '../../components/when.js'
import { secondsOf } from '../../format.js'

const SOURCE_WORDS: Readonly<Record<DetectionExample['source'], string>> = {
  alert: 'about an alert',
  overwrite: 'about an alert',
  resume: 'by resuming',
  cancel: 'by cancelling',
  shot: 'about a shot of a print',
  frame: 'about a kept picture',
}

/** What the user's answers make of one camera's scores: each can be taken back. */
export function TeachingPanel({ camera }: { camera: Camera }) {
  const { client, notices } = useApp()
  const { run } = useAction()
  const [taught, setTaught] = useState<Calibration | undefined>(undefined)
  const target = { id: camera.printer_id, camera_id: camera.id }

  useEffect(() => {
    client
      .getCalibration(target)
      .then(setTaught, (error: unknown) => notices.complain('Could not load the answers', error))
  }, [camera.printer_id, camera.id])

  if (taught === undefined) return null
  const forget = (answer: DetectionExample) =>
    run('Could not take it back', () => client.removeCalibrationAnswer({ ...target, answer_id: answer.id }), setTaught)
  return (
    <section class="panel teaching-panel">
      <h2>Your answers</h2>
      <p>{taught.text}</p>
      {taught.answers.length === 0 ? (
        <p class="hint">Answer an alert, or label a picture of a past print, and this camera learns from it at once.</p>
      ) : (
        <>
          <ul class="taught">
            {taught.answers.toReversed().map((answer) => (
              <li key={answer.id}>
                <img src={answer.image_url} alt="" loading="lazy" />
                <div>
                  <strong>{answer.answer === 'FAILED' ? 'A failure' : 'Not a failure'}</strong>
                  <span class="hint">
                    {SOURCE_WORDS[answer.source]} · scored {answer.score.toFixed(2)} ·{' '}
                    <Moment ts={secondsOf(answer.created_at)} />
                  </span>
                </div>
                <button type="button" class="button small" onClick={() => forget(answer)}>
                  Take back
                </button>
              </li>
            ))}
          </ul>
          <div class="buttons">
            <button
              type="button"
              class="button small"
              onClick={() => run('Could not reset it', () => client.resetCalibration(target), setTaught)}
            >
              Let scores count as they are
            </button>
          </div>
        </>
      )}
      <ExportConsent />
    </section>
  )
}

/** Taking the labelled pictures out, once the user has said yes to it. */
function ExportConsent() {
  const { client, user } = useApp()
  const { run } = useAction()
  const [isAllowed, setAllowed] = useState(user.detection_export_consent)
  const allow = (detection_export_consent: boolean) =>
    run(
      'Could not change it',
      () => client.updateMe({ detection_export_consent }),
      (me) => setAllowed(me.detection_export_consent),
    )
  return (
    <div class="export-consent">
      <label class="switch">
        <span class="switch-words">
          <span>Allow taking labelled pictures out</span>
          <span class="hint">
            You, and apps that you let read, can then download the pictures that you answered about, for training. They
            show what your camera sees. No names of people, printers or files go with them, and nothing is sent anywhere
            by itself.
          </span>
        </span>
        <input
          type="checkbox"
          role="switch"
          checked={isAllowed}
          onChange={(event) => allow(event.currentTarget.checked)}
        />
      </label>
      {isAllowed && (
        <a class="button small" href="/api/v1/detection/examples/export/" download>
          Download labelled pictures
        </a>
      )}
    </div>
  )
}
