import { CameraSettings, type CameraChanges, DEFAULT_CAMERA_SETTINGS } from '@printwarden/protocol'
import type { LookOptions } from './look-options.js'

// How a camera is looked at, from its row. Pure.

const Kept = CameraSettings.partial()

/** The settings in a camera's row; what is not there, and what cannot be read, is as for a new camera. */
export function settingsOf(kept: string | null): CameraSettings {
  if (kept === null) return DEFAULT_CAMERA_SETTINGS
  try {
    return withSettings(DEFAULT_CAMERA_SETTINGS, Kept.parse(JSON.parse(kept)))
  } catch {
    return DEFAULT_CAMERA_SETTINGS
  }
}

/** Settings with some of them changed; those that are left out, or undefined, stay. */
export function withSettings(before: CameraSettings, changes: NonNullable<CameraChanges['settings']>): CameraSettings {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  return { ...before, ...Object.fromEntries(given) }
}

/** Whether a change makes pictures look different to the model, so that what was learned says nothing any more. */
export function changesTheView(before: CameraSettings, after: CameraSettings): boolean {
  return JSON.stringify(before.bed_crop) !== JSON.stringify(after.bed_crop)
}

/** What tells apart references that were taken in different ways. */
export function viewOf({ bed_crop }: CameraSettings): string {
  return JSON.stringify(bed_crop)
}

/** The part and the regions of a camera's pictures, without tiles. */
export function lookOf(settings: CameraSettings, tiles: boolean): LookOptions {
  const { ignore_regions, ignore_regions_enabled, bed_crop } = settings
  return {
    ...(ignore_regions_enabled && ignore_regions.length > 0 ? { ignore: ignore_regions } : {}),
    ...(bed_crop === null ? {} : { crop: bed_crop }),
    ...(tiles ? { tiles } : {}),
  }
}

/** Between these scores a second, closer look is worth its time. */
const GREY_ZONE = [0.15, 0.75] as const
/** Of clear frames every so many-th has tiles, for what is too small to be seen in the whole picture. */
const EVERY = 6

/** Whether the next frame is looked at in tiles: `score` is what the last one was judged, `count` how many there were. */
export function wantsTiles({ tiles }: CameraSettings, score: number | undefined, count: number): boolean {
  if (tiles !== 'auto') return tiles === 'always'
  if (count % EVERY === EVERY - 1) return true
  return score !== undefined && score >= GREY_ZONE[0] && score <= GREY_ZONE[1]
}
