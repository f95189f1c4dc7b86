import type { Pic } from '@printwarden/sdk'
import { useEffect, useState } from 'preact/hooks'
import { useApp } from '../app-state.js'
import { ago, exact } from '../format.js'
import { Icon } from './icons.js'

/** A picture this much older than now is marked, since agents send one every ten seconds while printing. */
const OLD_SECONDS = 60

interface Shown {
  readonly url: string
  readonly ts: number
  readonly shape: string
}

/**
 * The newest picture of a printer. The next one is fetched and decoded before it takes the place of the last, so nothing flashes; the
 * age is that of the picture that is seen.
 *
 * @param hasOwnShape whether the frame takes the picture's shape, instead of cutting the picture to the frame's
 * @param isCurrent whether new pictures are to be expected, so that an old one deserves a mark
 */
export function LivePicture(props: {
  pic: Pic | null
  isRaw: boolean
  isCurrent: boolean
  name: string
  hasOwnShape?: boolean
}) {
  const { pic, isRaw, isCurrent, name } = props
  const [shown, setShown] = useState<Shown | undefined>(undefined)
  const [isBroken, setBroken] = useState(false)
  const url = pic === null ? undefined : isRaw ? pic.raw_url : pic.img_url
  const ts = pic?.ts ?? 0

  useEffect(() => {
    if (url === undefined) return setShown(undefined)
    let isWanted = true
    const image = new Image()
    image.src = url
    image.decode().then(
      () => {
        if (!isWanted) return
        setShown({ url, ts, shape: `${image.naturalWidth} / ${image.naturalHeight}` })
        setBroken(false)
      },
      () => {
        if (isWanted) setBroken(true)
      },
    )
    return () => {
      isWanted = false
    }
  }, [url, ts])

  return (
    <div class="picture" style={props.hasOwnShape === true && shown !== undefined ? { aspectRatio: shown.shape } : {}}>
      {shown === undefined ? (
        <div class="picture-none">
          <Icon name="camera" />
          <span>{pictureWords(pic, isBroken)}</span>
        </div>
      ) : (
        <img src={shown.url} alt={`Camera of ${name}`} />
      )}
      {shown !== undefined && <PictureAge ts={shown.ts} isCurrent={isCurrent} isBroken={isBroken} />}
    </div>
  )
}

function pictureWords(pic: Pic | null, isBroken: boolean): string {
  if (pic === null) return 'No recent picture'
  return isBroken ? 'The picture cannot be loaded' : 'Loading the picture…'
}

function PictureAge({ ts, isCurrent, isBroken }: { ts: number; isCurrent: boolean; isBroken: boolean }) {
  const { now } = useApp()
  const isOld = isBroken || (isCurrent && now.value - ts > OLD_SECONDS)
  return (
    <time
      class={`picture-age ${isOld ? 'is-old' : ''}`}
      dateTime={new Date(ts * 1000).toISOString()}
      title={`Picture taken ${exact(ts)}`}
    >
      {ago(ts, now.value)}
    </time>
  )
}
