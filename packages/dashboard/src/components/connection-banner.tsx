import { useApp } from '../app-state.js'
import { timeWithSeconds } from '../format.js'
import { Icon } from './icons.js'

const GRACE_SECONDS = 2

/** Says so when what is shown is not up to date. A blink of the connection is passed over. */
export function ConnectionBanner() {
  const { live, now } = useApp()
  const lostAt = live.lostAt.value
  if (lostAt === undefined || now.value - lostAt < GRACE_SECONDS) return <div role="status" />
  const status = live.status.value
  const since = live.isLoaded.value
    ? `What you see is from ${timeWithSeconds(lostAt)}.`
    : 'Nothing has been loaded yet.'
  return (
    <div class="banner" role="status">
      <Icon name="alert" />
      <span>
        {status.state === 'closed' ? 'The live connection was refused.' : 'Reconnecting…'} {since}
      </span>
    </div>
  )
}
