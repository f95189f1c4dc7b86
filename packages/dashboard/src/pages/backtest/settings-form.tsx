import type { BacktestSettings, Camera, Print } from '@printwarden/sdk'
import { useState } from 'preact/hooks'
import { Icon } from '../../components/icons.js'
import { Switch } from '../../components/switch.js'

type Smoothing = NonNullable<BacktestSettings['smoothing']>
type Action = NonNullable<BacktestSettings['action_on_failure']>

const SMOOTHINGS: readonly (readonly [Smoothing, string])[] = [
  ['default', 'Printwarden’s own'],
  ['upstream', 'The classic one'],
]
const ACTIONS: readonly (readonly [Action, string])[] = [
  ['NONE', 'Only alert'],
  ['PAUSE', 'Pause'],
  ['CANCEL', 'Pause, and cancel when nobody answers'],
]
const NO_PICTURES = {
  print: 'No pictures of this print are kept',
  camera: 'Pictures are kept of the primary camera only',
} as const

/** With which settings the print is judged again. */
export function SettingsForm(props: {
  print: Print
  /** The primary one first. */
  cameras: readonly Camera[]
  hasPictures: boolean
  isBusy: boolean
  start: (settings: BacktestSettings) => void
}) {
  const { print, cameras, isBusy } = props
  const [cameraId, setCameraId] = useState<number | undefined>(undefined)
  const camera = cameras.find(({ id }) => id === cameraId) ?? cameras[0]
  const isPrimary = camera?.is_primary !== false
  // Pictures are kept of the primary camera only.
  const hasPictures = props.hasPictures && isPrimary
  const [sensitivity, setSensitivity] = useState(print.printer?.detective_sensitivity ?? 1)
  const [smoothing, setSmoothing] = useState<Smoothing>('default')
  const [action, setAction] = useState<Action>(print.printer?.action_on_failure ?? 'PAUSE')
  const [wantsVotes, setVoting] = useState<boolean | undefined>(undefined)
  const isVoting = wantsVotes ?? camera?.settings.votes_enabled ?? true
  const [isTaught, setTaught] = useState(true)
  const [isRerun, setRerun] = useState(false)
  const [isMasked, setMasked] = useState(true)
  const regions = camera?.settings.ignore_regions ?? []
  const crop = camera?.settings.bed_crop ?? null

  const run = (event: Event) => {
    event.preventDefault()
    const looksAgain = isRerun && hasPictures
    props.start({
      model: looksAgain ? 'rerun' : 'kept_scores',
      ...{ sensitivity, smoothing, action_on_failure: action, votes_enabled: isVoting },
      ...(isPrimary ? {} : { camera_id: camera?.id }),
      ...(isTaught ? {} : { calibration_offset: 0 }),
      ...(looksAgain ? { ignore_regions: isMasked ? regions : [], bed_crop: isMasked ? crop : null } : {}),
    })
  }
  return (
    <form class="panel backtest-settings" onSubmit={run}>
      <h2>With these settings</h2>
      {cameras.length > 1 && (
        <fieldset class="choice">
          <legend>Camera</legend>
          {cameras.map((one) => (
            <Choice
              key={one.id}
              name="camera"
              isChosen={one.id === camera?.id}
              label={one.name === '' ? 'Camera' : one.name}
              onChoose={() => setCameraId(one.id)}
            />
          ))}
        </fieldset>
      )}
      <label class="field">
        <span class="spread">
          <span>Sensitivity</span>
          <output>{sensitivity.toFixed(2)}</output>
        </span>
        <input
          type="range"
          min={0.4}
          max={2}
          step={0.05}
          value={sensitivity}
          onInput={(event) => setSensitivity(Number(event.currentTarget.value))}
        />
      </label>
      <fieldset class="choice">
        <legend>Smoothing</legend>
        {SMOOTHINGS.map(([value, label]) => (
          <Choice
            key={value}
            name="smoothing"
            isChosen={smoothing === value}
            label={label}
            onChoose={() => setSmoothing(value)}
          />
        ))}
      </fieldset>
      <fieldset class="choice">
        <legend>On failure</legend>
        {ACTIONS.map(([value, label]) => (
          <Choice
            key={value}
            name="action"
            isChosen={action === value}
            label={label}
            onChoose={() => setAction(value)}
          />
        ))}
      </fieldset>
      <Switch
        label="Places must agree"
        hint="Findings count as far as several pictures agree on their place"
        isOn={isVoting}
        onChange={setVoting}
      />
      <Switch
        label="Use my answers"
        hint="What this camera has learned from them"
        isOn={isTaught}
        onChange={setTaught}
      />
      <Switch
        label="Look at the pictures again"
        hint={hasPictures ? 'With the model as it is now; takes a while' : NO_PICTURES[isPrimary ? 'print' : 'camera']}
        isOn={isRerun && hasPictures}
        onChange={(isOn) => setRerun(isOn && hasPictures)}
      />
      {isRerun && hasPictures && (
        <Switch
          label="With today’s regions and bed"
          hint={`${regions.length === 0 ? 'No region is ignored' : `${regions.length} ignored`}, ${crop === null ? 'the whole picture' : 'the marked bed'}`}
          isOn={isMasked}
          onChange={setMasked}
        />
      )}
      <button type="submit" class="button primary" disabled={isBusy}>
        <Icon name="play" /> Run
      </button>
    </form>
  )
}

function Choice(props: { name: string; isChosen: boolean; label: string; onChoose: () => void }) {
  const { name, isChosen, label, onChoose } = props
  return (
    <label class="radio">
      <input type="radio" name={name} checked={isChosen} onChange={onChoose} />
      <span>{label}</span>
    </label>
  )
}
