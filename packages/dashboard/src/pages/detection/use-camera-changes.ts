import type { Camera, CameraSettings } from '@printwarden/sdk'
import { useRef, useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'

/**
 * A camera with the changes that are on their way to the server, so that a switch stays where it was put. Changes are sent one after
 * the other; one that is refused is complained about, and the switch goes back.
 */
export function useCameraChanges(
  known: Camera,
  put: (camera: Camera) => void,
): { camera: Camera; change: (settings: Partial<CameraSettings>) => void } {
  const { client, notices } = useApp()
  const [wished, setWished] = useState<Partial<CameraSettings>>({})
  const sending = useRef<Promise<void>>(Promise.resolve())
  const waiting = useRef(0)

  async function send(settings: Partial<CameraSettings>): Promise<void> {
    try {
      put(await client.updateCamera({ id: known.printer_id, camera_id: known.id, settings }))
    } catch (error) {
      notices.complain('Could not change it', error)
    }
    waiting.current -= 1
    if (waiting.current === 0) setWished({})
  }

  return {
    camera: { ...known, settings: { ...known.settings, ...wished } },
    change: (settings) => {
      waiting.current += 1
      setWished((before) => ({ ...before, ...settings }))
      sending.current = sending.current.then(() => send(settings))
    },
  }
}
