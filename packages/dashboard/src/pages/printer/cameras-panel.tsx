import type { Camera, CameraWatching, Printer } from '@printwarden/sdk'
import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { LivePicture } from '../../components/live-picture.js'
import { Switch } from '../../components/switch.js'
import { cameraTitle, cameraWords } from '../../watching-words.js'

/** Pictures of cameras other than the primary one are not told live. */
const REFRESH_MS = 10_000

/** All cameras of a printer, and which of them look for failures. Not shown for a printer with one camera that does. */
export function CamerasPanel({ printer }: { printer: Printer }) {
  const { cameras } = printer.watching
  const { pictures, put } = usePictures(printer, cameras.length)
  if (cameras.length < 2 && cameras.every(({ detection_enabled }) => detection_enabled)) return null
  return (
    <section class="panel cameras-panel">
      <h2>Cameras</h2>
      <ul class="camera-list">
        {cameras.map((camera) => (
          <CameraRow
            key={camera.camera_id}
            printer={printer}
            camera={camera}
            picture={pictures.find(({ id }) => id === camera.camera_id)}
            put={put}
          />
        ))}
      </ul>
    </section>
  )
}

function CameraRow(props: {
  printer: Printer
  camera: CameraWatching
  picture: Camera | undefined
  put: (camera: Camera) => void
}) {
  const { client, notices } = useApp()
  const { printer, camera, picture, put } = props
  const [wished, setWished] = useState<boolean | undefined>(undefined)
  const words = cameraWords(camera, printer)
  const title = cameraTitle(camera)
  const change = (detection_enabled: boolean) => {
    setWished(detection_enabled)
    client
      .updateCamera({ id: printer.id, camera_id: camera.camera_id, detection_enabled })
      .then(put)
      .catch((error: unknown) => notices.complain('Could not change it', error))
      .finally(() => setWished(undefined))
  }
  return (
    <li class="camera-row">
      <LivePicture
        pic={camera.is_primary ? printer.pic : (picture?.pic ?? null)}
        isRaw={false}
        isCurrent={printer.status?.state.text === 'Printing'}
        name={`${printer.name}, ${title}`}
      />
      <div class="camera-words">
        <p class="spread">
          <strong>{title}</strong>
          {camera.is_primary && <span class="quiet">primary</span>}
        </p>
        <p class={`camera-state tone-${words.tone}`}>{words.text}</p>
        <Switch
          label="Look for failures here"
          isOn={wished ?? picture?.detection_enabled ?? camera.detection_enabled}
          onChange={change}
        />
      </div>
    </li>
  )
}

/** The newest pictures of all cameras, asked for now and then while the page is seen. */
function usePictures(printer: Printer, count: number) {
  const { client, live } = useApp()
  const [pictures, setPictures] = useState<readonly Camera[]>([])
  const isLive = live.status.value.state === 'live'

  useEffect(() => {
    if (!isLive || count === 0) return
    const controller = new AbortController()
    // A picture that cannot be had now comes with the next round.
    const ask = () => {
      if (document.hidden) return
      client.listCameras({ id: printer.id }, { signal: controller.signal }).then(setPictures, () => undefined)
    }
    ask()
    const timer = setInterval(ask, REFRESH_MS)
    return () => {
      clearInterval(timer)
      controller.abort()
    }
  }, [printer.id, count, isLive])

  const put = (camera: Camera) =>
    setPictures((before) => before.map((other) => (other.id === camera.id ? camera : other)))
  return { pictures, put }
}
