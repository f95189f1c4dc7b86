import type { Caller } from '../http/api.js'
import type { RevokedNotice } from '../printers/notices.js'

/** Whether a notice says that what let this caller in works no longer. */
export function isRevokedBy({ user_id, via }: Pick<Caller, 'user_id' | 'via'>, notice: RevokedNotice): boolean {
  switch (notice.type) {
    case 'user':
      return notice.user_id === user_id
    case 'token':
      return via.type === 'token' && via.token_id === notice.token_id
    case 'session':
      return via.type === 'session' && via.session_id === notice.session_id
    case 'printer':
    case 'share':
      return false
  }
  return false
}
