import { useEffect, useMemo, useState } from 'preact/hooks'
import { useApp } from '../app-state.js'
import { filmFrames } from '../film.js'
import { joined, type ScoreSample } from '../samples.js'

const NONE: readonly ScoreSample[] = []

/** The failure gauge of one print so far: what the server has recorded, then what has arrived live. */
export function useScores(printId: number | undefined): { samples: readonly ScoreSample[]; isLoaded: boolean } {
  const { client, live, notices } = useApp()
  const [recorded, setRecorded] = useState<readonly ScoreSample[] | undefined>(undefined)
  // After a gap in the connection the server knows what was missed.
  const isLive = live.status.value.state === 'live'
  const fresh = printId === undefined ? NONE : (live.scores.value.get(printId) ?? NONE)

  useEffect(() => {
    if (printId === undefined || !isLive) return
    const controller = new AbortController()
    client
      .getPredictionJson({ id: printId }, { signal: controller.signal })
      .then((frames) => setRecorded(filmFrames(frames).filter((frame) => frame !== null)))
      .catch((error: unknown) => {
        if (!controller.signal.aborted) notices.complain('Could not load the predictions', error)
      })
    return () => controller.abort()
  }, [printId, isLive])

  const samples = useMemo(() => joined(recorded ?? NONE, fresh), [recorded, fresh])
  return { samples, isLoaded: recorded !== undefined }
}
