import type { PostMortem } from '@printwarden/sdk'
import { useState } from 'preact/hooks'
import { Dialog } from '../../components/dialog.js'
import { Icon, type IconName } from '../../components/icons.js'
import { duration, secondsOf, timeWithSeconds } from '../../format.js'

type Cited = PostMortem['moments'][number]

const ICONS: Readonly<Record<Cited['kind'], IconName>> = {
  picture: 'camera',
  score: 'chart',
  temperature: 'thermometer',
  event: 'flag',
}

const idOf = (number: number): string => `moment-${number}`

/** Brings a moment into sight and gives it the focus. */
export function showMoment(number: number): void {
  const element = document.getElementById(idOf(number))
  element?.scrollIntoView({ block: 'center', behavior: 'smooth' })
  element?.focus({ preventScroll: true })
}

/** What an answer cites, in the order in which it happened. */
export function MomentList(props: { moments: readonly Cited[]; onShow: ((ts: number) => void) | undefined }) {
  const { moments, onShow } = props
  const [shown, setShown] = useState<Cited | undefined>(undefined)
  if (moments.length === 0) return null
  return (
    <>
      <ol class="moments" aria-label="What the answer cites">
        {moments.map((moment) => (
          <li key={moment.number} id={idOf(moment.number)} tabIndex={-1}>
            <span class="citation" aria-hidden="true">
              {moment.number}
            </span>
            <div class="moment-words">
              <p class="hint">
                <Icon name={ICONS[moment.kind]} /> <Since seconds={moment.seconds} /> ·{' '}
                {timeWithSeconds(secondsOf(moment.at))}
              </p>
              <p>{moment.text}</p>
              {onShow !== undefined && (
                <button type="button" class="link-button" onClick={() => onShow(secondsOf(moment.at))}>
                  Show in the time-lapse
                </button>
              )}
            </div>
            {moment.picture_url !== null && (
              <MomentPicture url={moment.picture_url} text={moment.text} onOpen={() => setShown(moment)} />
            )}
          </li>
        ))}
      </ol>
      {shown !== undefined && shown.picture_url !== null && (
        <Dialog title={shown.text} isWide onClose={() => setShown(undefined)}>
          <img class="full-picture" src={shown.picture_url} alt={shown.text} />
          <p>{shown.text}</p>
          <div class="dialog-buttons">
            <span class="quiet">
              <Since seconds={shown.seconds} />
            </span>
            <button type="button" class="button" onClick={() => setShown(undefined)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}

function Since({ seconds }: { seconds: number }) {
  return <>{seconds < 1 ? 'at the start' : `after ${duration(seconds)}`}</>
}

function MomentPicture({ url, text, onOpen }: { url: string; text: string; onOpen: () => void }) {
  const [isGone, setGone] = useState(false)
  if (isGone) return null
  return (
    <button type="button" class="moment-picture" aria-label={`Larger: ${text}`} onClick={onOpen}>
      <img src={url} alt="" loading="lazy" onError={() => setGone(true)} />
    </button>
  )
}
