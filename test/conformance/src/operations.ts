import { unusedName, uploadForm } from './g-code.js'
import type { Answer, HttpClient, SendOptions } from './http.js'

/** An operation of the specification on a user's data. `path` has `{id}` where a resource is named. */
export interface Operation {
  /** For the ids of cases. */
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly section: string
  /** Decision 4: reading needs `read`, everything else `write`. */
  readonly scope: 'read' | 'write'
  /** What is sent where an empty change would not do. */
  readonly body?: () => SendOptions
}

type Changing = 'POST' | 'PATCH' | 'DELETE'

const read = (name: string, section: string, path: string): Operation => ({
  name,
  method: 'GET',
  path,
  section: `api.md §${section}`,
  scope: 'read',
})

const write = (name: string, section: string, method: Changing, path: string, body?: () => SendOptions): Operation => ({
  name,
  method,
  path,
  section: `api.md §${section}`,
  scope: 'write',
  ...(body && { body }),
})

const action = (name: string): Operation =>
  write(name.replaceAll('_', '-'), '4.2', 'POST', `/api/v1/printers/{id}/${name}/`)

const json = (value: unknown) => (): SendOptions => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})

/** The statistics need to be told of what and how (decision 7, wire facts §1.5). */
const STATS_QUERY = '?timezone=UTC&from_date=2026-01-01&to_date=2026-01-31&group_by=month'

/** The operations of api.md §4.1 to §4.6, without those that need a language model or write to somebody. */
export const OPERATIONS: readonly Operation[] = [
  read('get-me', '4.1', '/api/v1/users/me/'),
  write('update-me', '4.1', 'PATCH', '/api/v1/users/me/'),
  read('list-printers', '4.2', '/api/v1/printers/'),
  read('get-printer', '4.2', '/api/v1/printers/{id}/'),
  write('update-printer', '4.2', 'PATCH', '/api/v1/printers/{id}/'),
  write('delete-printer', '4.2', 'DELETE', '/api/v1/printers/{id}/'),
  action('archive'),
  action('cancel_print'),
  action('pause_print'),
  action('resume_print'),
  action('mute_current_print'),
  action('acknowledge_alert'),
  read('list-prints', '4.3', '/api/v1/prints/'),
  read('get-print', '4.3', '/api/v1/prints/{id}/'),
  write('update-print', '4.3', 'PATCH', '/api/v1/prints/{id}/'),
  write('delete-print', '4.3', 'DELETE', '/api/v1/prints/{id}/'),
  read('get-prediction-json', '4.3', '/api/v1/prints/{id}/prediction_json/'),
  write('bulk-delete-prints', '4.3', 'POST', '/api/v1/prints/bulk_delete/', json({ print_ids: [] })),
  read('get-print-stats', '4.3', `/api/v1/prints/stats/${STATS_QUERY}`),
  read('list-files', '4.4', '/api/v1/g_code_files/'),
  read('get-file', '4.4', '/api/v1/g_code_files/{id}/'),
  write('upload-file', '4.4', 'POST', '/api/v1/g_code_files/', () => ({
    body: uploadForm(unusedName('upload.gcode')),
  })),
  write('update-file', '4.4', 'PATCH', '/api/v1/g_code_files/{id}/'),
  write('delete-file', '4.4', 'DELETE', '/api/v1/g_code_files/{id}/'),
  write('bulk-delete-files', '4.4', 'POST', '/api/v1/g_code_files/bulk_delete/', json({ file_ids: [] })),
  write(
    'bulk-move-files',
    '4.4',
    'POST',
    '/api/v1/g_code_files/bulk_move/',
    json({ file_ids: [], parent_folder: null }),
  ),
  read('list-folders', '4.5', '/api/v1/g_code_folders/'),
  read('get-folder', '4.5', '/api/v1/g_code_folders/{id}/'),
  write('create-folder', '4.5', 'POST', '/api/v1/g_code_folders/', () => json({ name: unusedName('folder') })()),
  write('update-folder', '4.5', 'PATCH', '/api/v1/g_code_folders/{id}/'),
  write('delete-folder', '4.5', 'DELETE', '/api/v1/g_code_folders/{id}/'),
  write('bulk-delete-folders', '4.5', 'POST', '/api/v1/g_code_folders/bulk_delete/', json({ folder_ids: [] })),
  write(
    'bulk-move-folders',
    '4.5',
    'POST',
    '/api/v1/g_code_folders/bulk_move/',
    json({ folder_ids: [], parent_folder: null }),
  ),
  read('get-assistant-me', '4.6', '/assistant/api/me/'),
  read('list-chats', '4.6', '/assistant/api/chats/'),
  read('get-chat', '4.6', '/assistant/api/chats/{id}/'),
  write('create-chat', '4.6', 'POST', '/assistant/api/chats/', json({ messages: '[]' })),
  write('update-chat', '4.6', 'PATCH', '/assistant/api/chats/{id}/'),
  write('delete-chat', '4.6', 'DELETE', '/assistant/api/chats/{id}/'),
]

/** What a run must not ask again and again: it costs credits, or somebody reads it. That it is refused costs nothing. */
export const COSTLY_OPERATIONS: readonly Operation[] = [
  write(
    'send-message',
    '4.6',
    'POST',
    '/assistant/api/chats/messages/',
    json({ messages: [{ role: 'user', content: 'Why do corners lift?' }] }),
  ),
  write('analyse-plate', '4.6', 'POST', '/assistant/api/plate_analysis/', json({ images: ['AAAA'], plates: [] })),
  write('contact-support', '4.6', 'POST', '/assistant/api/contact_support/', json({ message: 'A letter.' })),
]

/** Those that name a resource of this kind. */
export const operationsOn = (
  kind: 'printers' | 'prints' | 'g_code_files' | 'g_code_folders' | 'chats',
): readonly Operation[] => OPERATIONS.filter(({ path }) => path.includes(`/${kind}/{id}/`))

/** An id that no server has given away yet. */
export const MISSING_ID = 999_999_999

/** Carries out the operation on the resource, with an empty change where a body is asked for. */
export function perform(http: HttpClient, { method, path, body }: Operation, id: number | string): Promise<Answer> {
  const filled = path.replace('{id}', String(id))
  if (body !== undefined) return http.send(method, filled, body())
  return method === 'PATCH' ? http.patch(filled, {}) : http.send(method, filled)
}
