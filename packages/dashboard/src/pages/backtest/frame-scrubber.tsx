import type { BacktestResult, Print, PrintFrame } from '@printwarden/sdk'
import { useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { useAction } from '../../components/use-action.js'
import { timeWithSeconds } from '../../format.js'

/** Findings that are less sure are not shown. */
const SHOWN = 0.2

/** The kept pictures of a print, one at a time, with what was found; and the place to say that one shows a failure. */
export function FrameScrubber(props: { print: Print; frames: readonly PrintFrame[]; result: BacktestResult | null }) {
  const { print, frames, result } = props
  const { client, notices } = useApp()
  const { run } = useAction()
  const [at, setAt] = useState(0)
  const [size, setSize] = useState<Size | undefined>(undefined)
  const frame = frames[Math.min(at, frames.length - 1)]
  if (frame === undefined) {
    return (
      <section class="panel">
        <h2>Pictures</h2>
        <p class="quiet">
          No pictures of this print are kept. Small ones are made when a print ends, while there is room.
        </p>
      </section>
    )
  }
  const index = result?.ts.findIndex((ts) => Math.abs(ts - frame.ts) < 0.001) ?? -1
  const would = result?.normalized_p[index]
  const label = (answer: 'FAILED' | 'NOT_FAILED') =>
    run(
      'Could not keep the answer',
      () => client.labelFrame({ id: print.id, frame_ts: frame.ts, answer }),
      () =>
        notices.say(
          answer === 'FAILED' ? 'Kept: this picture shows a failure.' : 'Kept: this picture shows no failure.',
        ),
    )
  return (
    <section class="panel scrubber">
      <h2>Pictures</h2>
      <div class="scrub-picture">
        <img
          src={frame.image_url}
          alt={`The print at ${timeWithSeconds(frame.ts)}`}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setSize({ width: naturalWidth, height: naturalHeight })
          }
        />
        <Boxes frame={frame} shown={size} />
      </div>
      <input
        type="range"
        aria-label="Which picture"
        min={0}
        max={frames.length - 1}
        value={at}
        onInput={(event) => setAt(Number(event.currentTarget.value))}
      />
      <p class="spread">
        <span>{timeWithSeconds(frame.ts)}</span>
        <span class="quiet">
          {frame.score !== null && `scored ${frame.score.toFixed(2)}`}
          {frame.normalized_p !== null && ` · gauge ${Math.round(frame.normalized_p * 100)}%`}
          {would !== undefined && ` → ${Math.round(would * 100)}%`}
        </span>
      </p>
      <div class="buttons">
        <button type="button" class="button small" onClick={() => label('FAILED')}>
          This is a failure
        </button>
        <button type="button" class="button small" onClick={() => label('NOT_FAILED')}>
          Not a failure
        </button>
      </div>
    </section>
  )
}

/** In pixels. */
interface Size {
  readonly width: number
  readonly height: number
}

/** What was found. A full picture is the one that was analysed; of a small one the server knows what it was made of. */
function Boxes({ frame, shown: size }: { frame: PrintFrame; shown: Size | undefined }) {
  const width = frame.width ?? size?.width
  const height = frame.height ?? size?.height
  if (width === undefined || height === undefined) return null
  const best = Math.max(0, ...frame.detections.map(([, confidence]) => confidence))
  const shown = frame.detections.filter(([, confidence]) => confidence > SHOWN && confidence >= best / 2)
  return (
    <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {shown.map(([, , [x, y, w, h]]) => (
        <rect key={`${x} ${y}`} x={x - w / 2} y={y - h / 2} width={w} height={h} />
      ))}
    </svg>
  )
}
