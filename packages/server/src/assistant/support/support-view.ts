import { type SupportRequest, SupportRequestState } from '@printwarden/protocol'
import { instantView } from '../../prints/view.js'
import type { SupportRow } from './support-store.js'

/** A support request as an administrator sees it. */
export function supportView({ user_id, state, created_at, sent_at, ...row }: SupportRow): SupportRequest {
  return {
    ...row,
    user: user_id,
    state: SupportRequestState.parse(state),
    created_at: instantView(created_at),
    sent_at: instantView(sent_at),
  }
}
