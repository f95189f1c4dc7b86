import type { Printer } from '@printwarden/sdk'
import { BAND_WORDS, bandOf, gaugeState, HELD_BAND_WORDS } from '../wording.js'

const BANDS = ['fine', 'odd', 'failing'] as const

/**
 * The failure gauge: three bands and a mark. While the print stands still it keeps its last value, dimmed and in the past tense;
 * without watching there is nothing to show, so the bands are grey and no mark is set, whatever the last value was.
 */
export function Gauge({ printer }: { printer: Printer }) {
  const state = gaugeState(printer)
  if (state === 'off') return <GaugeOff />
  const value = Math.min(1, Math.max(0, printer.normalized_p))
  const band = bandOf(value)
  const words = state === 'held' ? HELD_BAND_WORDS[band] : BAND_WORDS[band]
  return (
    <div
      class={`gauge band-${band} is-${state}`}
      role="meter"
      aria-label="Failure gauge"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(value * 100)}
      aria-valuetext={words}
    >
      <div class="gauge-scale" aria-hidden="true">
        {BANDS.map((one) => (
          <span key={one} class={`gauge-band of-${one} ${one === band ? 'is-now' : ''}`} />
        ))}
        <span class="gauge-mark" style={{ left: `${value * 100}%` }} />
      </div>
      <span class="gauge-words">{words}</span>
    </div>
  )
}

function GaugeOff() {
  return (
    <div class="gauge is-off">
      <div class="gauge-scale" aria-hidden="true">
        {BANDS.map((band) => (
          <span key={band} class="gauge-band" />
        ))}
      </div>
      <span class="gauge-words">Not watching</span>
    </div>
  )
}
