import type { CameraSettings } from '@printwarden/sdk'
import { Switch } from '../../components/switch.js'

const TILES: readonly { readonly value: CameraSettings['tiles']; readonly label: string }[] = [
  { value: 'off', label: 'Never' },
  { value: 'auto', label: 'When it is worth it' },
  { value: 'always', label: 'Always' },
]

/** What of the camera counts. Each change is kept at once. */
export function SwitchesPanel(props: {
  settings: CameraSettings
  change: (settings: Partial<CameraSettings>) => void
}) {
  const { settings, change } = props
  return (
    <section class="panel settings">
      <h2>How it looks</h2>
      <Switch
        label="Ignore the painted regions"
        hint="They are hidden before the picture is looked at."
        isOn={settings.ignore_regions_enabled}
        onChange={(isOn) => change({ ignore_regions_enabled: isOn })}
      />
      <Switch
        label="What was there before the print"
        hint="Clips, marks and scraps that have not changed since the print began count less."
        isOn={settings.clean_bed_enabled}
        onChange={(isOn) => change({ clean_bed_enabled: isOn })}
      />
      <Switch
        label="What is usual for this camera"
        hint="Places that score high in good frames too count less."
        isOn={settings.baseline_enabled}
        onChange={(isOn) => change({ baseline_enabled: isOn })}
      />
      <Switch
        label="Good frames and your answers"
        hint="Pictures like these move the score a little, and never more than a little."
        isOn={settings.prototypes_enabled}
        onChange={(isOn) => change({ prototypes_enabled: isOn })}
      />
      <Switch
        label="Places must agree"
        hint="A failure stays where it is; a hand or the head that passes does not count."
        isOn={settings.votes_enabled}
        onChange={(isOn) => change({ votes_enabled: isOn })}
      />
      <fieldset class="choice">
        <legend>A closer look at four parts of the picture</legend>
        <p class="hint">
          Takes five times as long. Off unless you turn it on: it found no more, and gave more false alarms. Mark the
          bed instead.
        </p>
        {TILES.map(({ value, label }) => (
          <label key={value} class="radio">
            <input
              type="radio"
              name="tiles"
              checked={settings.tiles === value}
              onChange={() => change({ tiles: value })}
            />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
    </section>
  )
}
