import { useRef, useState } from 'preact/hooks'
import {
  arrowStep,
  type Corner,
  type Crop,
  type CropGrip,
  dragCrop,
  type Drawing,
  type Region,
  type Step,
} from './drawing.js'
import { HeatMap } from './heat-map.js'

const GRIPS: readonly CropGrip[] = ['nw', 'ne', 'sw', 'se']
const GRIP_NAMES: Record<CropGrip, string> = {
  move: 'Bed area',
  nw: 'Upper left corner of the bed area',
  ne: 'Upper right corner of the bed area',
  sw: 'Lower left corner of the bed area',
  se: 'Lower right corner of the bed area',
}

const percent = (share: number): string => `${share * 100}%`
const whole = (share: number): string => `${Math.round(share * 100)} %`
const pointsOf = (corners: readonly Corner[]): string => corners.map(([x, y]) => `${x * 100},${y * 100}`).join(' ')

/** A camera's picture with what is drawn over it. Everything can be moved by mouse, by touch and by the arrow keys. */
export function PictureEditor(props: {
  url: string
  name: string
  drawing: Drawing
  heat: readonly number[] | undefined
  step: (step: Step) => void
}) {
  const { drawing, step, heat } = props
  const [shape, setShape] = useState('16 / 10')
  const place = useRef<HTMLDivElement>(null)
  const shareOf = (event: PointerEvent): Corner => {
    const box = place.current?.getBoundingClientRect()
    if (box === undefined) return [0, 0]
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height]
  }
  return (
    <div class="editor" ref={place} style={{ aspectRatio: shape }}>
      <img
        src={props.url}
        alt={`Newest picture of ${props.name}`}
        draggable={false}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => setShape(`${naturalWidth} / ${naturalHeight}`)}
      />
      {heat !== undefined && heat.length > 0 && <HeatMap map={heat} />}
      <svg class="editor-shapes" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
        {drawing.crop !== null && <Outside crop={drawing.crop} />}
        {drawing.regions.map((corners) => (
          <polygon class="region" points={pointsOf(corners)} />
        ))}
        {drawing.draft !== undefined && <polyline class="draft" points={pointsOf(drawing.draft)} />}
      </svg>
      {drawing.draft === undefined ? (
        <>
          {drawing.crop !== null && <CropGrips crop={drawing.crop} shareOf={shareOf} step={step} />}
          {drawing.regions.map((corners, region) => (
            <Corners key={region} region={region} corners={corners} shareOf={shareOf} step={step} />
          ))}
        </>
      ) : (
        <Painter draft={drawing.draft} shareOf={shareOf} step={step} />
      )}
    </div>
  )
}

function Outside({ crop: { x, y, width, height } }: { crop: Crop }) {
  const [left, top, right, bottom] = [x * 100, y * 100, (x + width) * 100, (y + height) * 100]
  return (
    <>
      <path class="outside" fill-rule="evenodd" d={`M0 0H100V100H0Z M${left} ${top}V${bottom}H${right}V${top}Z`} />
      <rect class="crop" x={left} y={top} width={right - left} height={bottom - top} />
    </>
  )
}

type ShareOf = (event: PointerEvent) => Corner

/** Follows a pointer from the press to the release; `onDrag` hears where it is, as a share of the picture. */
function follow(event: PointerEvent, shareOf: ShareOf, onDrag: (at: Corner) => void): void {
  const target = event.currentTarget
  if (!(target instanceof HTMLElement) || event.button !== 0) return
  target.setPointerCapture(event.pointerId)
  const move = (moved: PointerEvent) => onDrag(shareOf(moved))
  const end = () => {
    target.removeEventListener('pointermove', move)
    target.removeEventListener('pointerup', end)
    target.removeEventListener('pointercancel', end)
  }
  target.addEventListener('pointermove', move)
  target.addEventListener('pointerup', end)
  target.addEventListener('pointercancel', end)
}

function Corners(props: { region: number; corners: Region; shareOf: ShareOf; step: (step: Step) => void }) {
  const { region, corners, shareOf, step } = props
  const move = (corner: number, to: Corner) => step({ type: 'move', region, corner, to })
  const onKey = (event: KeyboardEvent, corner: number, [x, y]: Corner) => {
    const by = arrowStep(event.key, event.shiftKey)
    if (by !== undefined) {
      event.preventDefault()
      step({ type: 'grab' })
      move(corner, [x + by[0], y + by[1]])
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      event.preventDefault()
      step({ type: 'drop-corner', region, corner })
    }
  }
  return (
    <>
      {corners.map((at, corner) => (
        <button
          key={corner}
          type="button"
          class="grip"
          style={{ left: percent(at[0]), top: percent(at[1]) }}
          aria-label={`Region ${region + 1}, corner ${corner + 1}: ${whole(at[0])} from the left, ${whole(at[1])} from the top`}
          onPointerDown={(event) => {
            step({ type: 'grab' })
            follow(event, shareOf, (to) => move(corner, to))
          }}
          onKeyDown={(event) => onKey(event, corner, at)}
        />
      ))}
    </>
  )
}

function CropGrips({ crop, shareOf, step }: { crop: Crop; shareOf: ShareOf; step: (step: Step) => void }) {
  const begin = (event: PointerEvent, grip: CropGrip) => {
    // A finger on the middle of the picture scrolls the page; it moves the corners.
    if (grip === 'move' && event.pointerType === 'touch') return
    step({ type: 'grab' })
    const [fromX, fromY] = shareOf(event)
    follow(event, shareOf, ([x, y]) => step({ type: 'crop', crop: dragCrop(crop, grip, x - fromX, y - fromY) }))
  }
  const onKey = (event: KeyboardEvent, grip: CropGrip) => {
    const by = arrowStep(event.key, event.shiftKey)
    if (by === undefined) return
    event.preventDefault()
    step({ type: 'grab' })
    step({ type: 'crop', crop: dragCrop(crop, grip, by[0], by[1]) })
  }
  const { x, y, width, height } = crop
  const at = (grip: CropGrip) => ({
    left: percent(grip.endsWith('w') ? x : x + width),
    top: percent(grip.startsWith('n') ? y : y + height),
  })
  return (
    <>
      <button
        type="button"
        class="crop-body"
        style={{ left: percent(x), top: percent(y), width: percent(width), height: percent(height) }}
        aria-label={`${GRIP_NAMES.move}: move with the arrow keys`}
        onPointerDown={(event) => begin(event, 'move')}
        onKeyDown={(event) => onKey(event, 'move')}
      />
      {GRIPS.map((grip) => (
        <button
          key={grip}
          type="button"
          class="grip of-crop"
          style={at(grip)}
          aria-label={GRIP_NAMES[grip]}
          onPointerDown={(event) => begin(event, grip)}
          onKeyDown={(event) => onKey(event, grip)}
        />
      ))}
    </>
  )
}

/** Takes the corners of a new region: by a click or a tap, or at a cross that the arrow keys move. */
function Painter({ draft, shareOf, step }: { draft: readonly Corner[]; shareOf: ShareOf; step: (step: Step) => void }) {
  const [cross, setCross] = useState<Corner | undefined>(undefined)
  const [first] = draft
  const onKey = (event: KeyboardEvent) => {
    const by = arrowStep(event.key, event.shiftKey)
    const [x, y] = cross ?? [0.5, 0.5]
    if (by !== undefined) setCross([Math.min(1, Math.max(0, x + by[0])), Math.min(1, Math.max(0, y + by[1]))])
    else if (event.key === ' ') step({ type: 'add', at: [x, y] })
    else if (event.key === 'Enter') step({ type: 'close' })
    else if (event.key === 'Escape') step({ type: 'cancel' })
    else return
    event.preventDefault()
  }
  return (
    <>
      <button
        type="button"
        class="painter"
        autofocus
        ref={(element) => element?.focus({ preventScroll: true })}
        aria-label="Place the corners of the region: arrow keys move the cross, Space places a corner, Enter closes the region, Escape leaves it"
        onPointerDown={(event) => step({ type: 'add', at: shareOf(event) })}
        onKeyDown={onKey}
      />
      {draft.map(([x, y], index) => (
        <span key={index} class="dot" style={{ left: percent(x), top: percent(y) }} />
      ))}
      {first !== undefined && draft.length >= 3 && (
        <button
          type="button"
          class="grip is-closing"
          style={{ left: percent(first[0]), top: percent(first[1]) }}
          aria-label="Close the region"
          onClick={() => step({ type: 'close' })}
        />
      )}
      {cross !== undefined && <span class="cross" style={{ left: percent(cross[0]), top: percent(cross[1]) }} />}
    </>
  )
}
