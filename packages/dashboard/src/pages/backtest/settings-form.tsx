import type { BacktestSettings, Camera, Print } from '@printwarden/sdk'
import { useState } from 'preact/hooks'
import { Icon } from '../../components/icons.js'
import { Switch } from '../../components/switch.js'

type Smoothing = NonNullable<BacktestSettings['smoothing']>

/** With which settings the print is judged again. */
export function SettingsForm(props: {
  print: Print
  camera: Camera | undefined
  hasPictures: boolean
  isBusy: boolean
  start: (settings: BacktestSettings) => void
}) {
  const { print, camera, hasPictures, isBusy } = props
  const [sensitivity, setSensitivity] = useState(print.printer?.detective_sensitivity ?? 1)
  const [smoothing, setSmoothing] = useState<Smoothing>('default')
  const [isPausing, setPausing] = useState(print.printer?.action_on_failure !== 'NONE')
  const [isTaught, setTaught] = useState(true)
  const [isRerun, setRerun] = useState(false)
  const [isMasked, setMasked] = useState(true)
  const regions = camera?.settings.ignore_regions ?? []
  const crop = camera?.settings.bed_crop ?? null

  const run = (event: Event) => {
    event.preventDefault()
    props.start({
      model: isRerun ? 'rerun' : 'kept_scores',
      ...{ sensitivity, smoothing, action_on_failure: isPausing ? 'PAUSE' : 'NONE' },
      ...(isTaught ? {} : { calibration_offset: 0 }),
      ...(isRerun ? { ignore_regions: isMasked ? regions : [], bed_crop: isMasked ? crop : null } : {}),
    })
  }
  return (
    <form class="panel backtest-settings" onSubmit={run}>
      <h2>With these settings</h2>
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
        <Choice isChosen={smoothing === 'default'} label="Printwarden’s own" onChoose={() => setSmoothing('default')} />
        <Choice isChosen={smoothing === 'upstream'} label="The classic one" onChoose={() => setSmoothing('upstream')} />
      </fieldset>
      <Switch label="Pause on failure" isOn={isPausing} onChange={setPausing} />
      <Switch
        label="Use my answers"
        hint="What this camera has learned from them"
        isOn={isTaught}
        onChange={setTaught}
      />
      <Switch
        label="Look at the pictures again"
        hint={hasPictures ? 'With the model as it is now; takes a while' : 'No pictures of this print are kept'}
        isOn={isRerun && hasPictures}
        onChange={(isOn) => setRerun(isOn && hasPictures)}
      />
      {isRerun && (
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

function Choice({ isChosen, label, onChoose }: { isChosen: boolean; label: string; onChoose: () => void }) {
  return (
    <label class="radio">
      <input type="radio" name="smoothing" checked={isChosen} onChange={onChoose} />
      <span>{label}</span>
    </label>
  )
}
