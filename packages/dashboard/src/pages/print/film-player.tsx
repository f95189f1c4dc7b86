import type { Print } from '@printwarden/sdk'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { type FilmFrame, filmFrames, filmPosition } from '../../film.js'
import { FilmCurve } from './film-curve.js'

type Kind = 'tagged' | 'plain'
const KIND_WORDS: Readonly<Record<Kind, string>> = { tagged: 'With findings', plain: 'Plain' }

/** A moment of the print (Unix seconds) that the reader wants to see; each wish is an object of its own. */
export interface FilmWish {
  readonly ts: number
}

/** Whether the time-lapse knows when its pictures were taken, so that a moment can be found in it. */
export const canFindMoments = (print: Print): boolean =>
  print.video_url !== null && print.prediction_json_url !== null && print.uploaded_at === null

/** The time-lapse of a print, with or without what was found in it, and the failure gauge along with it. */
export function FilmPlayer({ print, wish }: { print: Print; wish: FilmWish | undefined }) {
  const [wanted, setWanted] = useState<Kind>('tagged')
  const [position, setPosition] = useState(0)
  const video = useRef<HTMLVideoElement>(null)
  const frames = useFilmFrames(print)
  const urls = { tagged: print.tagged_video_url, plain: print.video_url }
  const kinds = (['tagged', 'plain'] as const).filter((kind) => urls[kind] !== null)
  const kind = urls[wanted] === null ? kinds[0] : wanted
  const url = kind === undefined ? null : urls[kind]
  // Signed anew with each answer; the video that is being watched is not begun again for that.
  const source = useStable(url)

  useEffect(() => {
    // More often than the browser's own event, so that the mark moves with the picture.
    let request = requestAnimationFrame(function follow() {
      const { currentTime = 0, duration = 0 } = video.current ?? {}
      if (duration > 0) setPosition(currentTime / duration)
      request = requestAnimationFrame(follow)
    })
    return () => cancelAnimationFrame(request)
  }, [])

  const seek = (to: number): void => {
    const element = video.current
    if (element !== null && element.duration > 0) element.currentTime = to * element.duration
  }

  useEffect(() => {
    const to = wish === undefined ? undefined : filmPosition(frames, wish.ts)
    if (to === undefined) return
    video.current?.pause()
    seek(to)
    video.current?.scrollIntoView({ block: 'center', behavior: 'smooth' })
  }, [wish])

  if (source === null || kind === undefined) return null
  return (
    <div class="film">
      {kinds.length > 1 && (
        <div class="segments" role="group" aria-label="Which video">
          {kinds.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === kind}
              onClick={() => {
                const at = position
                setWanted(one)
                video.current?.addEventListener('loadedmetadata', () => seek(at), { once: true })
              }}
            >
              {KIND_WORDS[one]}
            </button>
          ))}
        </div>
      )}
      <video ref={video} src={source} poster={print.poster_url ?? undefined} controls playsInline preload="metadata" />
      {frames.length > 1 && <FilmCurve frames={frames} position={position} onSeek={seek} />}
    </div>
  )
}

/** The address as it first was, until it is that of another file. */
function useStable(url: string | null): string | null {
  const kept = useRef(url)
  const fileOf = (address: string | null): string | undefined => address?.split('?')[0]
  if (fileOf(kept.current) !== fileOf(url)) kept.current = url
  return kept.current
}

function useFilmFrames(print: Print): readonly (FilmFrame | null)[] {
  const { client, notices } = useApp()
  const [frames, setFrames] = useState<readonly (FilmFrame | null)[]>([])
  const hasFrames = print.prediction_json_url !== null && print.uploaded_at === null
  useEffect(() => {
    if (!hasFrames) return
    const controller = new AbortController()
    client
      .getPredictionJson({ id: print.id }, { signal: controller.signal })
      .then((json) => setFrames(filmFrames(json)))
      .catch((error: unknown) => {
        if (!controller.signal.aborted) notices.complain('Could not load the predictions', error)
      })
    return () => controller.abort()
  }, [print.id, hasFrames, print.tagged_video_url?.split('?')[0]])
  return hasFrames ? frames : []
}
