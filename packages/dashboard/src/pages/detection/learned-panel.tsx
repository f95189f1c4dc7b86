import type { Camera, CameraLearned } from '@printwarden/sdk'
import { useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { ConfirmDialog } from '../../components/dialog.js'
import { Switch } from '../../components/switch.js'
import { useAction } from '../../components/use-action.js'
import { Ago } from '../../components/when.js'
import { secondsOf } from '../../format.js'
import { answersWords, baselineWords, unusedWords } from './wording.js'

/** What was learned of a camera, and the way to forget it. */
export function LearnedPanel(props: {
  printerId: number
  camera: Camera
  learned: CameraLearned | undefined
  isHeatShown: boolean
  showHeat: (isShown: boolean) => void
  forgotten: (learned: CameraLearned) => void
}) {
  const { learned } = props
  if (learned === undefined) return null
  const { baseline, prototypes, clean_bed } = learned
  const unused = unusedWords(clean_bed.unused)
  return (
    <section class="panel">
      <h2>What was learned</h2>
      <dl class="learned">
        <div>
          <dt>Usual scores</dt>
          <dd>{baselineWords(baseline)}</dd>
        </div>
        <div>
          <dt>Your answers</dt>
          <dd>{answersWords(prototypes)}</dd>
        </div>
        <div>
          <dt>Bed before the print</dt>
          <dd>
            {clean_bed.taken_at === null ? (
              'Not seen yet.'
            ) : (
              <>
                Seen <Ago ts={secondsOf(clean_bed.taken_at)} />.
              </>
            )}
            {clean_bed.taken_at !== null && unused !== undefined && ` ${unused}`}
          </dd>
        </div>
      </dl>
      <Switch
        label="Show the usual scores"
        hint="As a veil over the picture."
        isOn={props.isHeatShown}
        onChange={props.showHeat}
      />
      <ForgetButton printerId={props.printerId} camera={props.camera} forgotten={props.forgotten} />
    </section>
  )
}

function ForgetButton(props: { printerId: number; camera: Camera; forgotten: (learned: CameraLearned) => void }) {
  const { client, notices } = useApp()
  const { run } = useAction()
  const [isAsking, setAsking] = useState(false)
  const forget = () =>
    run(
      'Could not forget it',
      () => client.forgetBaseline({ id: props.printerId, camera_id: props.camera.id }),
      (learned) => {
        props.forgotten(learned)
        notices.say('It is forgotten. The camera is learned anew.')
      },
    )
  return (
    <>
      <button type="button" class="button small" onClick={() => setAsking(true)}>
        Forget what was learned
      </button>
      {isAsking && (
        <ConfirmDialog
          title="Forget what was learned?"
          text="Usual scores, answers and the bed before the print are learned anew. Do this when the camera or the printer was moved."
          confirm="Forget it"
          dismiss="Keep it"
          onConfirm={forget}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
