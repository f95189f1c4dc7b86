import type { CameraSettings } from '@printwarden/sdk'

// What is drawn over a camera's picture, and how it changes. Pure; places are shares of the picture.

export type Region = CameraSettings['ignore_regions'][number]
export type Corner = Region[number]
export type Crop = NonNullable<CameraSettings['bed_crop']>

/** What is kept of a drawing. */
export interface Shapes {
  readonly regions: readonly Region[]
  readonly crop: Crop | null
}

export interface Drawing extends Shapes {
  /** The corners of the region that is being painted; undefined when none is. */
  readonly draft: readonly Corner[] | undefined
  /** What was there before each change, the newest last. */
  readonly past: readonly Shapes[]
}

export type Step =
  | { readonly type: 'begin' }
  | { readonly type: 'add'; readonly at: Corner }
  | { readonly type: 'close' }
  | { readonly type: 'cancel' }
  /** Before something is dragged, so that one undo takes the whole way back. */
  | { readonly type: 'grab' }
  | { readonly type: 'move'; readonly region: number; readonly corner: number; readonly to: Corner }
  | { readonly type: 'drop-corner'; readonly region: number; readonly corner: number }
  | { readonly type: 'remove'; readonly region: number }
  | { readonly type: 'crop'; readonly crop: Crop | null }
  | { readonly type: 'undo' }
  | { readonly type: 'reset'; readonly shapes: Shapes }

export const MAX_REGIONS = 12
export const MAX_CORNERS = 40
export const MIN_CROP = 0.1
const MAX_PAST = 50

/** What a crop begins with: the middle of the picture, where beds are. */
export const FIRST_CROP: Crop = { x: 0.15, y: 0.2, width: 0.7, height: 0.7 }

export function drawingOf({ regions, crop }: Shapes): Drawing {
  return { regions, crop, draft: undefined, past: [] }
}

const inside = (value: number): number => Math.min(1, Math.max(0, Math.round(value * 1000) / 1000))

function changed(drawing: Drawing, changes: Partial<Drawing>): Drawing {
  const { regions, crop, past } = drawing
  return { ...drawing, past: [...past, { regions, crop }].slice(-MAX_PAST), ...changes }
}

/** The drawing after one step. */
export function draw(drawing: Drawing, step: Step): Drawing {
  const { regions, draft } = drawing
  switch (step.type) {
    case 'begin':
      return regions.length >= MAX_REGIONS ? drawing : { ...drawing, draft: [] }
    case 'add':
      return draft === undefined || draft.length >= MAX_CORNERS
        ? drawing
        : { ...drawing, draft: [...draft, [inside(step.at[0]), inside(step.at[1])]] }
    case 'close':
      return draft === undefined || draft.length < 3
        ? drawing
        : changed(drawing, { regions: [...regions, [...draft]], draft: undefined })
    case 'cancel':
      return { ...drawing, draft: undefined }
    case 'grab':
      return changed(drawing, {})
    case 'move':
      return { ...drawing, regions: withCorner(regions, step.region, step.corner, step.to) }
    case 'drop-corner':
      return dropCorner(drawing, step.region, step.corner)
    case 'remove':
      return changed(drawing, { regions: regions.filter((_, index) => index !== step.region) })
    case 'crop':
      return { ...drawing, crop: step.crop }
    case 'undo':
      return undo(drawing)
    case 'reset':
      return drawingOf(step.shapes)
  }
}

function withCorner(regions: readonly Region[], region: number, corner: number, [x, y]: Corner): Region[] {
  return regions.map((corners, r) =>
    r === region ? corners.map((at, c): Corner => (c === corner ? [inside(x), inside(y)] : at)) : corners,
  )
}

/** Without its corners a region is nothing: the third last takes it with it. */
function dropCorner(drawing: Drawing, region: number, corner: number): Drawing {
  const corners = drawing.regions[region] ?? []
  if (corners.length <= 3) return draw(drawing, { type: 'remove', region })
  const left = corners.filter((_, index) => index !== corner)
  return changed(drawing, { regions: drawing.regions.map((known, index) => (index === region ? left : known)) })
}

/** Takes back the last corner of a region that is being painted, else the last change. */
function undo(drawing: Drawing): Drawing {
  const { draft, past } = drawing
  if (draft !== undefined) return { ...drawing, draft: draft.length === 0 ? undefined : draft.slice(0, -1) }
  const before = past.at(-1)
  return before === undefined ? drawing : { ...drawing, ...before, past: past.slice(0, -1) }
}

/** A crop with one of its edges or corners moved, or (`move`) all of it; it stays inside of the picture. */
export function dragCrop(crop: Crop, grip: CropGrip, dx: number, dy: number): Crop {
  if (grip === 'move') {
    const x = Math.min(1 - crop.width, Math.max(0, crop.x + dx))
    const y = Math.min(1 - crop.height, Math.max(0, crop.y + dy))
    return { ...crop, x: inside(x), y: inside(y) }
  }
  const right = crop.x + crop.width
  const bottom = crop.y + crop.height
  const left = grip.includes('w') ? Math.min(right - MIN_CROP, Math.max(0, crop.x + dx)) : crop.x
  const top = grip.includes('n') ? Math.min(bottom - MIN_CROP, Math.max(0, crop.y + dy)) : crop.y
  const newRight = grip.includes('e') ? Math.max(left + MIN_CROP, Math.min(1, right + dx)) : right
  const newBottom = grip.includes('s') ? Math.max(top + MIN_CROP, Math.min(1, bottom + dy)) : bottom
  return { x: inside(left), y: inside(top), width: inside(newRight - left), height: inside(newBottom - top) }
}

export type CropGrip = 'move' | 'nw' | 'ne' | 'sw' | 'se'

/** Whether there is something to save. */
export function isChanged(drawing: Shapes, saved: Shapes): boolean {
  const text = ({ regions, crop }: Shapes): string => JSON.stringify([regions, crop])
  return text(drawing) !== text(saved)
}

/** How the arrow keys move something; undefined for other keys. With Shift the steps are larger. */
export function arrowStep(key: string, isLarge: boolean): Corner | undefined {
  const step = isLarge ? 0.05 : 0.01
  const steps: Record<string, Corner> = {
    ArrowLeft: [-step, 0],
    ArrowRight: [step, 0],
    ArrowUp: [0, -step],
    ArrowDown: [0, step],
  }
  return steps[key]
}
