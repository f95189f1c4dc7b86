import { useApp } from '../app-state.js'
import { ago, exact, moment } from '../format.js'

/** How long ago something was; the exact time on hover. `ts` is in Unix seconds. */
export function Ago({ ts }: { ts: number }) {
  const { now } = useApp()
  return (
    <time dateTime={new Date(ts * 1000).toISOString()} title={exact(ts)}>
      {ago(ts, now.value)}
    </time>
  )
}

/** The time of something, with the day when it was not today; the exact time on hover. */
export function Moment({ ts }: { ts: number }) {
  const { now } = useApp()
  return (
    <time dateTime={new Date(ts * 1000).toISOString()} title={exact(ts)}>
      {moment(ts, now.value)}
    </time>
  )
}
