import type { Camera, Printer } from '@printwarden/sdk'
import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { Icon } from '../../components/icons.js'
import { usePageTitle } from '../../components/page-title.js'
import { useAction } from '../../components/use-action.js'
import { MissingPage } from '../missing/page.js'
import { CameraSection } from './camera-section.js'

/** How a printer's cameras are looked at: regions, bed area, and what was learned. */
export function DetectionPage({ id }: { id: number }) {
  const { live } = useApp()
  const printer = live.printers.value.get(id)
  usePageTitle(printer === undefined ? 'Detection' : `Detection of ${printer.name}`)
  if (printer !== undefined) return <Known printer={printer} />
  if (!live.isLoaded.value)
    return (
      <p class="quiet" aria-busy="true">
        Loading the printer…
      </p>
    )
  return <MissingPage what="There is no such printer" />
}

function Known({ printer }: { printer: Printer }) {
  const { cameras, put } = useCameras(printer.id)
  const [chosenId, setChosen] = useState<number | undefined>(undefined)
  const chosen = cameras?.find(({ id }) => id === chosenId) ?? cameras?.[0]
  return (
    <>
      <a class="back" href={`/printers/${printer.id}`}>
        <Icon name="back" /> {printer.name}
      </a>
      <div class="page-head">
        <h1>What the detection looks at</h1>
      </div>
      {cameras === undefined && (
        <p class="quiet" aria-busy="true">
          Loading the cameras…
        </p>
      )}
      {cameras?.length === 0 && (
        <section class="panel">
          <h2>No camera yet</h2>
          <p class="quiet">A camera is listed here once its agent has sent its first picture.</p>
        </section>
      )}
      {cameras !== undefined && cameras.length > 1 && (
        <div class="segments camera-tabs" role="group" aria-label="Which camera">
          {cameras.map((camera) => (
            <button
              key={camera.id}
              type="button"
              aria-pressed={camera.id === chosen?.id}
              onClick={() => setChosen(camera.id)}
            >
              {cameraName(camera)}
            </button>
          ))}
        </div>
      )}
      {chosen !== undefined && <CameraSection key={chosen.id} printer={printer} camera={chosen} put={put} />}
      {chosen !== undefined && cameras !== undefined && cameras.length > 1 && (
        <ForAllButton camera={chosen} putAll={(all) => all.forEach(put)} />
      )}
    </>
  )
}

/** Gives all cameras of the printer the switches of this one. */
function ForAllButton({ camera, putAll }: { camera: Camera; putAll: (cameras: readonly Camera[]) => void }) {
  const { client, notices } = useApp()
  const { isBusy, run } = useAction()
  const { ignore_regions: _regions, bed_crop: _crop, ...settings } = camera.settings
  const apply = () =>
    run(
      'Could not change the cameras',
      () => client.updateCameras({ id: camera.printer_id, settings }),
      (all) => {
        putAll(all)
        notices.say(`All ${all.length} cameras look as ${cameraName(camera)} does.`)
      },
    )
  return (
    <section class="panel">
      <p class="hint">Regions and the marked bed stay each camera’s own.</p>
      <button type="button" class="button small" aria-busy={isBusy} onClick={apply}>
        Use these switches for the whole printer
      </button>
    </section>
  )
}

export function cameraName({ name, is_primary }: Camera): string {
  if (name !== '') return name
  return is_primary ? 'Camera' : 'Second camera'
}

/** The printer's cameras, read once; `put` takes one as the server answered it. */
function useCameras(printerId: number): { cameras: readonly Camera[] | undefined; put: (camera: Camera) => void } {
  const { client, notices } = useApp()
  const [cameras, setCameras] = useState<readonly Camera[] | undefined>(undefined)
  useEffect(() => {
    client.listCameras({ id: printerId }).then(setCameras, (error: unknown) => {
      notices.complain('Could not load the cameras', error)
      setCameras([])
    })
  }, [printerId])
  const put = (camera: Camera) =>
    setCameras((before) => before?.map((known) => (known.id === camera.id ? camera : known)))
  return { cameras, put }
}
