import { useMemo } from 'preact/hooks'
import { curvePath, type FilmFrame, frameIndex } from '../../film.js'
import { timeWithSeconds } from '../../format.js'
import { BAND_WORDS, bandOf } from '../../wording.js'

/** How far an arrow key goes. */
const STEP = 0.02

/**
 * The failure gauge over a time-lapse, with a mark where the video is. A click, a drag or an arrow key goes to another place.
 *
 * @param position where the video is, 0–1
 */
export function FilmCurve(props: {
  frames: readonly (FilmFrame | null)[]
  position: number
  onSeek: (position: number) => void
}) {
  const { frames, position, onSeek } = props
  const path = useMemo(() => curvePath(frames), [frames])
  const frame = frames[frameIndex(position, frames.length)]
  const seekTo = (event: PointerEvent & { currentTarget: HTMLElement }): void => {
    const box = event.currentTarget.getBoundingClientRect()
    onSeek(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)))
  }
  return (
    <div class="film-gauge">
      <div
        class="film-curve"
        role="slider"
        tabIndex={0}
        aria-label="Place in the time-lapse, over the failure gauge"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(position * 100)}
        aria-valuetext={wordsOf(frame)}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          seekTo(event)
        }}
        onPointerMove={(event) => event.currentTarget.hasPointerCapture(event.pointerId) && seekTo(event)}
        onKeyDown={(event) => {
          const steps = { ArrowLeft: -STEP, ArrowRight: STEP, Home: -1, End: 1 }[event.key]
          if (steps === undefined) return
          event.preventDefault()
          onSeek(Math.min(1, Math.max(0, position + steps)))
        }}
      >
        <svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">
          <rect class="film-band of-failing" width="1000" height="33.33" />
          <rect class="film-band of-odd" y="33.33" width="1000" height="33.34" />
          <rect class="film-band of-fine" y="66.67" width="1000" height="33.33" />
          <path d={path} />
        </svg>
        <span class="film-mark" style={{ left: `${position * 100}%` }} />
      </div>
      <p class="film-words" aria-hidden="true">
        <span>{wordsOf(frame)}</span>
        {frame && <span class="quiet">{timeWithSeconds(frame.ts)}</span>}
      </p>
    </div>
  )
}

function wordsOf(frame: FilmFrame | null | undefined): string {
  if (frame === null || frame === undefined) return 'Not measured'
  return `Failure gauge ${Math.round(frame.score * 100)}%, ${BAND_WORDS[bandOf(frame.score)].toLowerCase()}`
}
