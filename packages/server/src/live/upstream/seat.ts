import type { Viewer } from '../../prints/view.js'
import type { RevokedNotice } from '../../users/revoked.js'

/** Who sits at an existing client's socket, and which printer they look at. */
export interface Seat {
  readonly printer_id: number
  /** The printer's owner. */
  readonly user_id: number
  /** What let them in. Whoever came by a share token is a guest: they look, and do nothing. */
  readonly by: SeatCredential
  readonly viewer: Viewer
}

export type SeatCredential =
  | { readonly type: 'session'; readonly session_id: number }
  | { readonly type: 'auth_token' }
  | { readonly type: 'share'; readonly share_id: number }

export const isGuest = ({ by }: Pick<Seat, 'by'>): boolean => by.type === 'share'

/** Whether a notice may mean that whoever sits there must go. They stay if they would be let in again. */
export function mayConcern({ by, printer_id, user_id }: Omit<Seat, 'viewer'>, notice: RevokedNotice): boolean {
  switch (notice.type) {
    case 'user':
      return notice.user_id === user_id
    case 'printer':
      return notice.printer_id === printer_id
    case 'session':
      return by.type === 'session' && notice.session_id === by.session_id
    case 'share':
      return by.type === 'share' && notice.share_id === by.share_id
    case 'token':
      return false
  }
  return false
}
