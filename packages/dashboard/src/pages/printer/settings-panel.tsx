import type { Printer } from '@printwarden/sdk'
import { useState } from 'preact/hooks'
import { Icon } from '../../components/icons.js'
import { Switch } from '../../components/switch.js'
import { usePrinterChanges } from '../../components/use-printer-changes.js'
import { canPausePrints } from '../../printer-commands.js'
import { sensitivityWords } from '../../wording.js'

const USUAL = { min: 0.8, max: 1.2, step: 0.05 }

/** How the printer is watched. Each change is kept at once; it shows at once too, and goes back if the server refuses it. */
export function SettingsPanel({ printer: known }: { printer: Printer }) {
  const { printer, change } = usePrinterChanges(known)
  const canPause = canPausePrints(printer)
  return (
    <section class="panel settings">
      <h2>Watching settings</h2>
      <Switch
        label="Watch for failures"
        hint="Check the camera’s pictures while it prints"
        isOn={printer.watching_enabled}
        onChange={(isOn) => change({ watching_enabled: isOn })}
      />
      <fieldset class="choice" disabled={!printer.watching_enabled}>
        <legend>When a print looks like a failure</legend>
        {canPause ? (
          <>
            <Choice
              isChosen={printer.action_on_failure === 'PAUSE'}
              label="Pause the print and alert me"
              onChoose={() => change({ action_on_failure: 'PAUSE' })}
            />
            <Choice
              isChosen={printer.action_on_failure === 'CANCEL'}
              label="Pause the print, and cancel it when nobody answers for ten minutes"
              onChoose={() => change({ action_on_failure: 'CANCEL' })}
            />
            <Choice
              isChosen={printer.action_on_failure === 'NONE'}
              label="Only alert me"
              onChoose={() => change({ action_on_failure: 'NONE' })}
            />
          </>
        ) : (
          <p class="hint">
            You are alerted. Only its camera tells of this printer: pause or cancel at the printer itself.
          </p>
        )}
      </fieldset>
      <Sensitivity
        value={printer.detective_sensitivity}
        isDisabled={!printer.watching_enabled}
        onChange={(value) => change({ detective_sensitivity: value })}
      />
      <a class="detection-link" href={`/printers/${printer.id}/detection`}>
        What the detection looks at <Icon name="forward" />
      </a>
      {canPause && <PauseSettings printer={printer} change={change} />}
    </section>
  )
}

/** How a print is parked that is paused from here. */
function PauseSettings({ printer, change }: ReturnType<typeof usePrinterChanges>) {
  return (
    <fieldset class="choice" disabled={printer.action_on_failure === 'NONE'}>
      <legend>When Printwarden pauses a print</legend>
      <Switch
        label="Nozzle heater off"
        isOn={printer.tools_off_on_pause}
        onChange={(isOn) => change({ tools_off_on_pause: isOn })}
      />
      <Switch
        label="Bed heater off"
        isOn={printer.bed_off_on_pause}
        onChange={(isOn) => change({ bed_off_on_pause: isOn })}
      />
      <Millimetres
        label="Pull the filament back"
        value={printer.retract_on_pause}
        onChange={(value) => change({ retract_on_pause: value })}
      />
      <Millimetres
        label="Lift the nozzle"
        value={printer.lift_z_on_pause}
        onChange={(value) => change({ lift_z_on_pause: value })}
      />
    </fieldset>
  )
}

function Choice({ isChosen, label, onChoose }: { isChosen: boolean; label: string; onChoose: () => void }) {
  return (
    <label class="radio">
      <input type="radio" name="action_on_failure" checked={isChosen} onChange={onChoose} />
      <span>{label}</span>
    </label>
  )
}

/** A length from 0 to 100 mm. It is kept when the field is left; what is no such length goes back. */
function Millimetres(props: { label: string; value: number; onChange: (value: number) => void }) {
  // What is typed is the field's own until it is left: the page is drawn again with every message of the printer.
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const keep = (field: HTMLInputElement) => {
    setTyped(undefined)
    const value = field.valueAsNumber
    if (Number.isFinite(value) && value >= 0 && value <= 100 && value !== props.value) props.onChange(value)
  }
  return (
    <label class="length">
      <span>{props.label}</span>
      <span class="length-value">
        <input
          type="number"
          min={0}
          max={100}
          step={0.1}
          value={typed ?? props.value}
          inputMode="decimal"
          onInput={(event) => setTyped(event.currentTarget.value)}
          onBlur={(event) => keep(event.currentTarget)}
          onKeyDown={(event) => event.key === 'Enter' && keep(event.currentTarget)}
        />{' '}
        mm
      </span>
    </label>
  )
}

function Sensitivity(props: { value: number; isDisabled: boolean; onChange: (value: number) => void }) {
  // While it is dragged the slider shows its own value; it is kept when let go.
  const [dragged, setDragged] = useState<number | undefined>(undefined)
  const shown = dragged ?? props.value
  const keep = (value: number) => {
    setDragged(undefined)
    if (value !== props.value) props.onChange(value)
  }
  return (
    <label class="field">
      <span class="spread">
        <span>Sensitivity</span>
        <span class="quiet">{sensitivityWords(shown)}</span>
      </span>
      <input
        type="range"
        min={Math.min(USUAL.min, props.value)}
        max={Math.max(USUAL.max, props.value)}
        step={USUAL.step}
        value={shown}
        disabled={props.isDisabled}
        aria-valuetext={sensitivityWords(shown)}
        onInput={(event) => setDragged(event.currentTarget.valueAsNumber)}
        onChange={(event) => keep(event.currentTarget.valueAsNumber)}
      />
    </label>
  )
}
