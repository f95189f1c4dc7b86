import type { Printer } from '@printwarden/sdk'
import { useState } from 'preact/hooks'
import { LivePicture } from '../../components/live-picture.js'

/** The printer's picture, with what was found in it or as the camera took it. */
export function CameraPanel({ printer }: { printer: Printer }) {
  const [isRaw, setRaw] = useState(false)
  return (
    <section class="panel camera" aria-label="Camera">
      <LivePicture
        pic={printer.pic}
        isRaw={isRaw}
        hasOwnShape
        isCurrent={printer.status?.state.text === 'Printing'}
        name={printer.name}
      />
      {printer.pic !== null && (
        <div class="segments camera-choice" role="group" aria-label="Which picture">
          <button type="button" aria-pressed={!isRaw} onClick={() => setRaw(false)}>
            With findings
          </button>
          <button type="button" aria-pressed={isRaw} onClick={() => setRaw(true)}>
            Camera only
          </button>
        </div>
      )}
    </section>
  )
}
