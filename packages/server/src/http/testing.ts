import { type Endpoint, endpoints } from '@printwarden/protocol'
import { z } from 'zod'
import { insertProposal } from '../assistant/proposals/proposal-store.js'
import { putPostMortem } from '../assistant/post-mortems/post-mortem-store.js'
import { insertAlert } from '../detection/alerts/alerts-store.js'
import { insertBacktest } from '../detection/past/backtest-store.js'
import { findOrAddCamera } from '../detection/cameras/cameras-store.js'
import { putExample } from '../detection/teaching/examples-store.js'
import { insertItem } from '../import/store.js'
import { insertToken } from '../oauth/store.js'
import { findVisiblePrinter } from '../printers/store.js'
import { addPrint } from '../printers/testing.js'
import type { TestServer, TestUser } from '../testing.js'
import { openApiDocument } from './openapi.js'
import { isObject, type Json } from './openapi-components.js'

// Tests over all endpoints at once: one of every thing, the right credential for each endpoint, and bodies from the document.

export const ALL: readonly Endpoint[] = Object.values(endpoints)

const document = JSON.parse(JSON.stringify(openApiDocument(endpoints, '1.2.3'))) as Json

/** The description of an endpoint. */
export function operationOf({ method, path }: Endpoint): Json {
  const operation = at(document, ['paths', path.replaceAll(/:(\w+)/g, '{$1}'), method.toLowerCase()])
  if (!isObject(operation)) throw new Error(`${method} ${path} is not described`)
  return operation
}

/** The schema of an endpoint's JSON body, and its example. */
export function jsonBodyOf(endpoint: Endpoint): { readonly schema: Json; readonly example: Json } | undefined {
  const body = at(operationOf(endpoint), ['requestBody', 'content', 'application/json'])
  if (!isObject(body) || !isObject(body['example'])) return undefined
  return { schema: resolve(body['schema']), example: body['example'] }
}

/** A schema of the document with its reference followed. */
export function resolve(schema: unknown): Json {
  const data = isObject(schema) ? schema : {}
  const reference = data['$ref']
  if (typeof reference !== 'string') return data
  const found = at(document, reference.slice(2).split('/'))
  return isObject(found) ? found : {}
}

function at(value: unknown, names: readonly string[]): unknown {
  let found = value
  for (const name of names) found = isObject(found) ? found[name] : undefined
  return found
}

const Created = z.object({ id: z.number() })

/** Somebody with one of every thing that has an id. */
export async function addThings(server: TestServer, user: TestUser) {
  const { db } = server.database
  const now = server.clock.now()

  async function create(path: string, body: unknown): Promise<number> {
    const { status, json, text } = await server.call('POST', path, { token: user.token, body })
    if (status >= 300) throw new Error(`POST ${path} was answered ${status} ${text}`)
    return Created.parse(json).id
  }

  async function insertPrintOf(printerId: number): Promise<number> {
    const printer = await findVisiblePrinter(db, user.id, printerId)
    if (printer === undefined) throw new Error('the printer is gone')
    return (await addPrint(db, printer, { state: 'finished', finished_at: now })).id
  }

  const { cookie: session, id: sessionId } = await addSession(server, user.id)
  // Only an administrator invites.
  const invitation = await server.call('POST', '/api/v1/admin/invitations/', { body: {} })
  const { printer, auth_token } = await server.addPrinter(user.id)
  const print = await insertPrintOf(printer.id)
  const camera = await findOrAddCamera(db, { printer_id: printer.id, name: 'Bed', is_primary: true }, now)
  const feedback = await db
    .insertInto('print_shot_feedbacks')
    .values({ print_id: print, user_id: user.id, image_key: 'prints/0/shot.jpg', created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { alert, example, backtest } = await addPast(server, {
    user_id: user.id,
    print_id: print,
    printer_id: printer.id,
    camera_id: camera?.id ?? null,
  })
  const proposed = {
    action: 'pause',
    reason: 'It strings.',
    state: 'waiting',
    created_at: now,
    expires_at: now + 900_000,
  }
  const proposal = await insertProposal(db, { ...proposed, user_id: user.id, printer_id: printer.id, print_id: print })
  const settings = await server.call('GET', '/api/v1/notification_settings/', { token: user.token })
  const code = await server.call('GET', '/api/v1/onetimeverificationcodes/', { token: await server.addToken(user.id) })
  const device = { platform: 'android', app_version: '1', device_token: `device of ${user.email}` }
  const app = await createApp(server, session)
  const token = {
    user_id: user.id,
    scope: 'read',
    name: 'a token',
    created_at: now,
    expires_at: null,
    revoked_at: null,
  }
  const personal = await insertToken(db, { ...token, client_id: null, token_hash: server.secrets.newToken(32) })
  // What connects the app.
  await insertToken(db, { ...token, client_id: app.id, token_hash: server.secrets.newToken(32) })

  const awaited = { user_id: user.id, source: 'old.example#1', kind: 'print', source_id: 1 }
  const importedPrint = await insertItem(db, awaited, { record: {}, target: print, now })
  const imported = await insertItem(db, { ...awaited, kind: 'video' }, { record: {}, partOf: importedPrint.id, now })

  /** Ids by the beginning of the path; the longest that fits counts. */
  const ids: Readonly<Record<string, number | string>> = {
    '/api/v1/printers/:id/': printer.id,
    '/api/v1/prints/:id/': print,
    '/api/v1/printshotfeedbacks/:id/': feedback.id,
    '/api/v1/alerts/:id/': alert.id,
    '/api/v1/detection/examples/:id/': example.id,
    '/api/v1/backtests/:id/': backtest.id,
    '/api/v1/g_code_folders/:id/': await create('/api/v1/g_code_folders/', { name: 'Things' }),
    '/api/v1/g_code_files/:id/': await create('/api/v1/g_code_files/', { filename: 'thing.gcode' }),
    '/api/v1/agent/g_code_files/:id/': await create('/api/v1/g_code_files/', { filename: 'agents.gcode' }),
    '/api/v1/notification_settings/:id/': z.array(Created).min(1).parse(settings.json)[0]?.id ?? 0,
    '/api/v1/onetimeverificationcodes/:id/': Created.parse(code.json).id,
    '/api/v1/assistant/proposals/:id/': proposal.id,
    '/assistant/api/chats/:id/': await create('/assistant/api/chats/', { messages: '[]' }),
    '/api/v1/mobile_devices/:id/': await create('/api/v1/mobile_devices/', device),
    '/api/v1/sharedresources/:id/': await shareOf(server, user, printer.id),
    '/api/files/:printer/': printer.id,
    '/api/v1/oauth/apps/:id/': app.id,
    '/api/v1/oauth/connections/:id/': app.id,
    '/api/v1/oauth/tokens/:id/': personal,
    '/api/v1/users/me/sessions/:id/': sessionId,
    '/api/v1/admin/invitations/:id/': Created.parse(invitation.json).id,
    '/api/v1/admin/users/:id/': user.id,
    '/api/v1/admin/imports/:id/': imported.id,
    '/api/v1/admin/tokens/:id/': personal,
    '/api/v1/admin/clients/:client_id/': app.client_id,
  }

  return {
    user,
    session,
    auth_token,
    ids,
    /** The id that an endpoint's path takes; undefined when this file knows of none. */
    idFor({ path }: Endpoint): number | string | undefined {
      const known = Object.keys(ids).filter((prefix) => path.startsWith(prefix))
      return ids[known.sort((a, b) => b.length - a.length)[0] ?? '']
    },
    /** The path of an endpoint with `id` in it. */
    pathOf: ({ path }: Endpoint, id: number | string): string =>
      path
        .replace(/:(id|client_id|printer)/, String(id))
        .replace(':camera_id', String(camera?.id))
        .replace(':answer_id', String(example.id))
        .replace(':command_id', '5b0c2f0e-7a34-4c9e-9d55-0f1f6f2a9b11'),
    /** The header that lets this user, or their agent, in. */
    credentialFor({ access }: Endpoint): Record<string, string> {
      if (access === 'session') return { cookie: session }
      if (access === 'agent') return { authorization: `Bearer ${auth_token}` }
      return access === 'anyone' ? {} : { authorization: `Bearer ${user.token}` }
    },
  }
}

export type Things = Awaited<ReturnType<typeof addThings>>

async function addSession(server: TestServer, userId: number): Promise<{ id: number; cookie: string }> {
  const session = server.secrets.newToken(32)
  const now = server.clock.now()
  const { id } = await server.database.db
    .insertInto('sessions')
    .values({ user_id: userId, token_hash: server.secrets.hash(session), created_at: now, expires_at: now + 3_600_000 })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, cookie: `printwarden_session=${session}` }
}

async function createApp(server: TestServer, cookie: string): Promise<{ id: number; client_id: string }> {
  const body = { name: 'An app', description: '', type: 'public', redirect_uris: ['https://app.example/callback'] }
  const response = await fetch(`${server.url}/api/v1/oauth/apps/`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return z.object({ id: z.number(), client_id: z.string() }).parse(await response.json())
}

async function shareOf(server: TestServer, user: TestUser, printerId: number): Promise<number> {
  const path = `/api/v1/sharedresources/?printer_id=${printerId}`
  const { json, text } = await server.call('POST', path, { token: user.token })
  const [shared] = z.array(Created).parse(json)
  if (shared === undefined) throw new Error(`sharing was answered ${text}`)
  return shared.id
}

interface PastOf {
  readonly user_id: number
  readonly printer_id: number
  readonly print_id: number
  readonly camera_id: number | null
}

/** What was told of a print, what was answered, and one look back at it. */
async function addPast(server: TestServer, of: PastOf) {
  const { db } = server.database
  const { user_id, print_id } = of
  const now = server.clock.now()
  const picture = {
    image_key: `prints/${print_id}/alerts/1.jpg`,
    frame_at: now,
    detections: '[]',
    created_at: now,
    score: 0.9,
  }
  const rule = {
    ...{ smoothing: 'default', level: 'failing', score: 0.9, judged_score: 0.9, mean: 0.8, norm: 0.1 },
    ...{ sensitivity: 1, calibration_offset: 0, normalized_p: 0.8, warning_at: 1 / 3, failing_at: 2 / 3 },
  }
  const evidence = JSON.stringify({ rule, parts: [], model: 'test', settings: {}, history: [] })
  const unanswered = { raw_key: null, command_id: null, answer: null, answered_at: null, answered_by: null }
  const alert = await insertAlert(db, {
    ...of,
    ...picture,
    ...unanswered,
    outcome: 'paused',
    normalized_p: 0.8,
    evidence,
  })
  const said = {
    answer: 'FAILED',
    source: 'frame',
    answered_by: null,
    is_calibrating: 1,
    alert_id: null,
    shot_id: null,
  }
  const example = await putExample(db, { ...of, ...picture, ...said })
  const asked = { user_id, print_id, model: 'kept_scores', settings: '{}', created_at: now, ended_at: now }
  await putPostMortem(db, {
    ...{ print_id, cause: 'It came loose', certainty: 'possible', answer: 'It came loose.', advice: '[]' },
    ...{ moments: '[]', missing: '[]', model: 'test', created_at: now },
  })
  const backtest = await insertBacktest(db, { ...asked, status: 'done', progress: 1, result: null, error: null })
  return { alert, example, backtest }
}
