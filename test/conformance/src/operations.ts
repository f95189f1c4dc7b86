import type { Answer, HttpClient } from './http.js'

/** An operation of the specification on a user's data. `path` has `{id}` where a resource is named. */
export interface Operation {
  /** For the ids of cases. */
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly section: string
  /** Decision 4: reading needs `read`, everything else `write`. */
  readonly scope: 'read' | 'write'
}

const read = (name: string, section: string, path: string): Operation => ({
  name,
  method: 'GET',
  path,
  section: `api.md §${section}`,
  scope: 'read',
})

const write = (name: string, section: string, method: 'POST' | 'PATCH' | 'DELETE', path: string): Operation => ({
  name,
  method,
  path,
  section: `api.md §${section}`,
  scope: 'write',
})

const action = (name: string): Operation =>
  write(name.replaceAll('_', '-'), '4.2', 'POST', `/api/v1/printers/{id}/${name}/`)

/** The operations of api.md §4.1 to §4.3. */
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
  read('get-prediction-json', '4.3', '/api/v1/prints/{id}/prediction_json/'),
]

/** Those that name a printer. */
export const PRINTER_OPERATIONS = OPERATIONS.filter(({ path }) => path.includes('/printers/{id}/'))

/** Those that name a print. */
export const PRINT_OPERATIONS = OPERATIONS.filter(({ path }) => path.includes('/prints/{id}/'))

/** An id that no server has given away yet. */
export const MISSING_ID = 999_999_999

/** Carries out the operation on the resource, with an empty change where a body is asked for. */
export function perform(http: HttpClient, { method, path }: Operation, id: number | string): Promise<Answer> {
  const filled = path.replace('{id}', String(id))
  return method === 'PATCH' ? http.patch(filled, {}) : http.send(method, filled)
}
