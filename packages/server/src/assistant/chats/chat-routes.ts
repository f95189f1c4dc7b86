import { type ChatChanges, endpoints, MAX_CHATS, MAX_CHATS_PER_PAGE } from '@printwarden/protocol'
import { ApiError } from '../../errors.js'
import type { Api } from '../../http/api.js'
import type { Clock, Database } from '../../ports.js'
import { listHeaders } from '../../prints/links.js'
import {
  type ChatRow,
  countChats,
  deleteVisibleChat,
  findVisibleChat,
  insertChat,
  listChats,
  updateVisibleChat,
} from './chat-store.js'
import { chatView } from './chat-view.js'

export interface ChatRoutesDeps {
  readonly database: Database
  readonly clock: Clock
}

/** Chats as clients keep them here. What is in them is the client's own: nothing of it is looked at. */
export function chatRoutes(api: Api, { database, clock }: ChatRoutesDeps): void {
  const { db } = database

  api.handle(endpoints.listChats, async ({ query }, { user_id }, { request, reply, origin }) => {
    const page = { start: query.start ?? 0, limit: query.limit ?? MAX_CHATS_PER_PAGE }
    const [rows, total] = await Promise.all([listChats(db, user_id, page), countChats(db, user_id)])
    void reply.headers(listHeaders(new URL(request.url, origin), { ...page, total }))
    return rows.map(chatView)
  })

  api.handle(endpoints.createChat, async ({ body }, { user_id }) => {
    const now = clock.now()
    const row = await database.transaction(async (trx) => {
      if ((await countChats(trx, user_id)) >= MAX_CHATS) {
        throw new ApiError('conflict', `There are ${MAX_CHATS} chats already; delete some first.`)
      }
      return insertChat(trx, {
        ...EMPTY,
        ...given(body),
        messages: body.messages,
        user_id,
        created_at: now,
        updated_at: now,
      })
    })
    return chatView(row)
  })

  api.handle(endpoints.getChat, async ({ params }, { user_id }) => {
    return shown(await findVisibleChat(db, user_id, params.id))
  })

  const change = async (userId: number, id: number, body: ChatChanges) =>
    shown(await updateVisibleChat(db, userId, id, { ...given(body), updated_at: clock.now() }))

  api.handle(endpoints.updateChat, ({ params, body }, { user_id }) => change(user_id, params.id, body))
  api.handle(endpoints.replaceChat, ({ params, body }, { user_id }) => change(user_id, params.id, body))

  api.handle(endpoints.deleteChat, async ({ params }, { user_id }) => {
    if (!(await deleteVisibleChat(db, user_id, params.id))) throw new ApiError('not_found')
  })
}

const EMPTY = {
  machine_name: null,
  filament_name: null,
  print_process_name: null,
  slicing_settings_json: null,
  user_feedback: null,
  user_feedback_text: null,
}

function shown(row: ChatRow | undefined) {
  if (row === undefined) throw new ApiError('not_found')
  return chatView(row)
}

type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> }

/** What was sent, without what was not. */
function given<T extends object>(changes: T): Given<T> {
  const entries = Object.entries(changes).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Given<T>
}
