import type { Output } from '@printwarden/sdk'

/** One analysed frame of a time-lapse: its value of the failure gauge (0–1) and when it was taken, in Unix seconds. */
export interface FilmFrame {
  readonly score: number
  readonly ts: number
}

/** The frames of a prediction JSON, in their order; null for one whose data is lost. */
export function filmFrames(json: Output<'getPredictionJson'>): (FilmFrame | null)[] {
  return json.map((frame) =>
    frame.fields === undefined || frame.frame_ts === undefined
      ? null
      : { score: frame.fields.normalized_p, ts: frame.frame_ts },
  )
}

/** Which frame is shown at the share `position` (0–1) of a video of `count` frames. */
export function frameIndex(position: number, count: number): number {
  return Math.max(0, Math.min(count - 1, Math.round(count * position)))
}

/** Where in a video (0–1) the frame is shown that was taken nearest to `ts` (Unix seconds); undefined when no frame has a time. */
export function filmPosition(frames: readonly (FilmFrame | null)[], ts: number): number | undefined {
  let nearest: { index: number; distance: number } | undefined
  for (const [index, frame] of frames.entries()) {
    if (frame === null) continue
    const distance = Math.abs(frame.ts - ts)
    if (nearest === undefined || distance < nearest.distance) nearest = { index, distance }
  }
  return nearest === undefined ? undefined : nearest.index / frames.length
}

/** The curve of the gauge as an SVG path in a box of 1000 × 100; a frame without a value breaks it. */
export function curvePath(frames: readonly (FilmFrame | null)[]): string {
  let isDrawing = false
  const parts = frames.map((frame, index) => {
    if (frame === null) {
      isDrawing = false
      return ''
    }
    const x = frames.length === 1 ? 500 : (index / (frames.length - 1)) * 1000
    const y = 100 - Math.min(1, Math.max(0, frame.score)) * 100
    const step = isDrawing ? 'L' : 'M'
    isDrawing = true
    return `${step}${x.toFixed(1)} ${y.toFixed(1)}`
  })
  return parts.join('')
}
