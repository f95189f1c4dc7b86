import type { Print, Timelapse } from '@printwarden/sdk'
import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { ProgressBar } from '../../components/progress-bar.js'
import { useAction } from '../../components/use-action.js'
import { FilmPlayer, type FilmWish } from './film-player.js'

/** The time-lapse of a print: the player, or how far it is, or why there is none. */
export function TimelapsePanel(props: {
  print: Print
  /** Which moment of it is to be shown. */
  wish: FilmWish | undefined
  onChange: (print: Print) => void
}) {
  const { print, wish, onChange } = props
  const { client, live } = useApp()
  const told = live.timelapses.value.get(print.id)
  const timelapse = newestOf(told, print.timelapse)
  const isMissing = timelapse?.state === 'done' && print.video_url === null

  useEffect(() => {
    if (!isMissing) return
    const controller = new AbortController()
    client.getPrint({ id: print.id }, { signal: controller.signal }).then(onChange, () => undefined)
    return () => controller.abort()
  }, [isMissing, print.id])

  const isOver = print.ended_at !== null
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>Time-lapse</h2>
        {isOver && <Links print={print} onChange={onChange} />}
      </div>
      {print.video_url !== null ? (
        <FilmPlayer print={print} wish={wish} />
      ) : (
        <OnTheWay print={print} timelapse={timelapse} isOver={isOver} onChange={onChange} />
      )}
    </section>
  )
}

/** What was told lately counts, unless the print has been read since and knows of an end. */
function newestOf(told: Timelapse | null | undefined, read: Timelapse | null): Timelapse | null {
  if (told === undefined || read?.state === 'done') return read
  return told
}

function OnTheWay(props: {
  print: Print
  timelapse: Timelapse | null
  isOver: boolean
  onChange: (print: Print) => void
}) {
  const { timelapse, isOver } = props
  if (!isOver) return <p class="quiet">It is made when the print has ended.</p>
  if (timelapse === null) return <p class="quiet">There is no time-lapse of this print.</p>
  if (timelapse.state === 'waiting') return <p class="quiet">The time-lapse will be made in a moment.</p>
  if (timelapse.state === 'rendering') {
    const percent = timelapse.progress * 100
    return (
      <div class="film-progress">
        <p>Making the time-lapse… {Math.floor(percent)}%</p>
        <ProgressBar value={percent} label="Time-lapse" />
      </div>
    )
  }
  const canRetry = timelapse.state === 'failed' || timelapse.reason_code === 'no_encoder'
  return (
    <div class="stack">
      <p class="quiet">{timelapse.reason ?? 'There is no time-lapse of this print.'}</p>
      {canRetry && <RetryButton {...props} />}
    </div>
  )
}

/** Asks for the time-lapse again; the page shows how far it is by itself. */
function RetryButton({ print, onChange }: { print: Print; onChange: (print: Print) => void }) {
  const { client } = useApp()
  const { isBusy, run } = useAction()
  const retry = () => run('Could not make the time-lapse', () => client.retryTimelapse({ id: print.id }), onChange)
  return (
    <button type="button" class="button small" aria-busy={isBusy} onClick={retry}>
      Try again
    </button>
  )
}

function Links({ print, onChange }: { print: Print; onChange: (print: Print) => void }) {
  const { client } = useApp()
  const { isBusy, run } = useAction()
  const [share, setShare] = useState<number | undefined>(undefined)
  const name = print.filename.replace(/\.[^.]*$/, '')

  function upload(file: File | undefined): void {
    if (file === undefined) return
    setShare(0)
    const onProgress = ({ loaded, total }: { loaded: number; total: number | undefined }): void =>
      setShare(total === undefined ? undefined : loaded / total)
    const work = async (): Promise<Print> => {
      try {
        return await client.uploadTimelapse({ id: print.id, file }, { onProgress })
      } finally {
        setShare(undefined)
      }
    }
    run('Could not upload the video', work, onChange)
  }

  return (
    <div class="buttons">
      {print.video_url !== null && (
        <a class="button small" href={print.video_url} download={`${name}.mp4`}>
          Download
        </a>
      )}
      {print.tagged_video_url !== null && (
        <a class="button small" href={print.tagged_video_url} download={`${name} with findings.mp4`}>
          Download with findings
        </a>
      )}
      <label class="button small file-button">
        {isBusy && share !== undefined ? `Uploading… ${Math.floor(share * 100)}%` : 'Upload your own'}
        <input
          type="file"
          accept="video/mp4,video/quicktime,.mp4,.mov"
          class="visually-hidden"
          onChange={(event) => {
            upload(event.currentTarget.files?.[0])
            event.currentTarget.value = ''
          }}
        />
      </label>
    </div>
  )
}
