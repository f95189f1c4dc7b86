import type { Camera, CameraLearned, CameraSettings, Printer } from '@printwarden/sdk'
import { useEffect, useReducer, useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { Icon } from '../../components/icons.js'
import { draw, drawingOf, FIRST_CROP, isChanged, MAX_REGIONS } from './drawing.js'
import { LearnedPanel } from './learned-panel.js'
import { cameraName } from './page.js'
import { PictureEditor } from './picture-editor.js'
import { TeachingPanel } from './teaching-panel.js'
import { SwitchesPanel } from './switches-panel.js'
import { useCameraChanges } from './use-camera-changes.js'

/** One camera: its picture to draw on, its switches, and what was learned of it. */
export function CameraSection(props: { printer: Printer; camera: Camera; put: (camera: Camera) => void }) {
  const { printer, put } = props
  const { camera, change } = useCameraChanges(props.camera, put)
  const { learned, setLearned } = useLearned(props.camera)
  const [isHeatShown, setHeatShown] = useState(false)
  const pic = camera.is_primary ? (printer.pic ?? camera.pic) : camera.pic
  return (
    <div class="detection-columns">
      <section class="panel editor-panel" aria-label={`Picture of ${cameraName(camera)}`}>
        {pic === null ? (
          <p class="quiet">There is no recent picture of this camera. Regions can be painted once there is one.</p>
        ) : (
          <Editor
            key={JSON.stringify([camera.settings.ignore_regions, camera.settings.bed_crop])}
            camera={camera}
            url={pic.raw_url}
            heat={isHeatShown ? learned?.baseline.map : undefined}
            save={change}
          />
        )}
      </section>
      <div class="detection-side">
        <SwitchesPanel settings={camera.settings} change={change} />
        <LearnedPanel
          printerId={printer.id}
          camera={camera}
          learned={learned}
          isHeatShown={isHeatShown}
          showHeat={setHeatShown}
          forgotten={setLearned}
        />
        <TeachingPanel camera={camera} />
      </div>
    </div>
  )
}

function useLearned(camera: Camera): {
  learned: CameraLearned | undefined
  setLearned: (learned: CameraLearned | undefined) => void
} {
  const { client, notices } = useApp()
  const [learned, setLearned] = useState<CameraLearned | undefined>(undefined)
  useEffect(() => {
    client
      .getCameraLearned({ id: camera.printer_id, camera_id: camera.id })
      .then(setLearned, (error: unknown) => notices.complain('Could not load what was learned', error))
  }, [camera.printer_id, camera.id, JSON.stringify(camera.settings.bed_crop)])
  return { learned, setLearned }
}

/** The picture with its tools. What is drawn counts once it is saved. */
function Editor(props: {
  camera: Camera
  url: string
  heat: readonly number[] | undefined
  save: (settings: Partial<CameraSettings>) => void
}) {
  const { camera, save } = props
  const saved = { regions: camera.settings.ignore_regions, crop: camera.settings.bed_crop }
  const [drawing, step] = useReducer(draw, saved, drawingOf)
  const isPainting = drawing.draft !== undefined
  const hasChanged = isChanged(drawing, saved)
  const store = () =>
    save({
      ...(isChanged({ ...drawing, crop: saved.crop }, saved) ? { ignore_regions: [...drawing.regions] } : {}),
      ...(isChanged({ ...drawing, regions: saved.regions }, saved) ? { bed_crop: drawing.crop } : {}),
    })
  const toggleCrop = () => {
    step({ type: 'grab' })
    step({ type: 'crop', crop: drawing.crop === null ? FIRST_CROP : null })
  }
  return (
    <div
      class="editor-frame"
      onKeyDown={(event) => {
        if (event.key !== 'z' || !(event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        step({ type: 'undo' })
      }}
    >
      <PictureEditor url={props.url} name={cameraName(camera)} drawing={drawing} heat={props.heat} step={step} />
      <div class="editor-tools">
        {isPainting ? (
          <>
            <p class="hint">Click or tap the corners of what is to be ignored, then close the region.</p>
            <div class="buttons">
              <button
                type="button"
                class="button small primary"
                disabled={(drawing.draft?.length ?? 0) < 3}
                onClick={() => step({ type: 'close' })}
              >
                <Icon name="check" /> Close the region
              </button>
              <button type="button" class="button small" onClick={() => step({ type: 'undo' })}>
                Undo
              </button>
              <button type="button" class="button small" onClick={() => step({ type: 'cancel' })}>
                Leave it
              </button>
            </div>
          </>
        ) : (
          <div class="buttons">
            <button
              type="button"
              class="button small"
              disabled={drawing.regions.length >= MAX_REGIONS}
              onClick={() => step({ type: 'begin' })}
            >
              <Icon name="plus" /> Ignore a region
            </button>
            <button type="button" class="button small" aria-pressed={drawing.crop !== null} onClick={toggleCrop}>
              {drawing.crop === null ? 'Mark the bed' : 'Look at the whole picture'}
            </button>
            <button
              type="button"
              class="button small"
              disabled={drawing.past.length === 0}
              onClick={() => step({ type: 'undo' })}
            >
              Undo
            </button>
            {hasChanged && (
              <span class="buttons editor-save">
                <button type="button" class="button small" onClick={() => step({ type: 'reset', shapes: saved })}>
                  Discard
                </button>
                <button type="button" class="button small primary" onClick={store}>
                  <Icon name="check" /> Save
                </button>
              </span>
            )}
          </div>
        )}
        {!isPainting && drawing.regions.length > 0 && (
          <ul class="region-list">
            {drawing.regions.map((corners, region) => (
              <li key={region}>
                <span>
                  Region {region + 1} <span class="quiet">{corners.length} corners</span>
                </span>
                <button
                  type="button"
                  class="icon-button"
                  aria-label={`Remove region ${region + 1}`}
                  onClick={() => step({ type: 'remove', region })}
                >
                  <Icon name="cross" />
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}
