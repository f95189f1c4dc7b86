import type { Printer } from '@printwarden/sdk'
import { Icon } from './icons.js'

/** Says that the server cannot look at pictures, why, and what to do: that concerns every print, so it stands above everything. */
export function DetectorBanner({ printers }: { printers: readonly Printer[] }) {
  const unwatched = printers.find(({ not_watching_code }) => not_watching_code === 'detector_unavailable')
  if (unwatched === undefined || unwatched.not_watching_reason === null) return null
  return (
    <div class="alert-strip is-warning" role="status">
      <Icon name="eye-off" />
      <span>{unwatched.not_watching_reason}</span>
    </div>
  )
}
