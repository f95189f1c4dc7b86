import type { Chat } from '@printwarden/protocol'
import { instantView } from '../../prints/view.js'
import type { ChatRow } from './chat-store.js'

/** A chat as its user sees it. */
export function chatView(row: ChatRow): Chat {
  const { user_id: _, created_at, updated_at, ...chat } = row
  return { ...chat, created_at: instantView(created_at), updated_at: instantView(updated_at) }
}
