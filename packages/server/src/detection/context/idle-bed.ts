import type { CameraSettings } from '@printwarden/protocol'
import { viewOf } from '../cameras/camera-settings.js'
import { isPlain } from './context-clean-bed.js'
import type { Findings } from '../detector.js'
import type { Learned } from './learned.js'

/** A picture from a time when nothing was printed: it takes the place of the one before, unless it shows nothing. */
export function takeIdleBed(
  learned: Learned,
  { map, thumb }: Findings,
  settings: CameraSettings,
  taken_at: number,
): Learned {
  if (map === undefined || thumb === undefined || isPlain(thumb)) return learned
  return { ...learned, idle_bed: { taken_at, look: viewOf(settings), thumb, map } }
}
