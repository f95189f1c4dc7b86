import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import sharp from 'sharp'

// A server of the kind that existing agents and clients were made for, over real HTTP: shapes, statuses and oddities are those of the wire
// facts, sections 1.1 to 1.8, 1.12 and 1.17. It can break off, be busy, and name addresses that have expired.

export const TOKEN = 'abcdefghijklmnopqrstuvwxyz1234'

type Json = Record<string, unknown>

/** What the server has of its one user. */
export interface UpstreamAccount {
  user: Json
  printers: Json[]
  prints: Json[]
  folders: { id: number; name: string; parent: number | null }[]
  files: Json[]
  settings: Json[]
  predictions: Map<number, unknown>
  /** Bytes by their path below `/media/`. */
  media: Map<string, Buffer>
}

export interface UpstreamServer {
  readonly url: string
  readonly account: UpstreamAccount
  /** Every request: method, path with query, and whether it came with the token. */
  readonly calls: { method: string; path: string; hasToken: boolean }[]
  /** Requests under way at once, at most. */
  mostAtOnce: number
  /** How often each file still breaks off half-way, by its path. */
  readonly breaks: Map<string, number>
  /** Every so many requests of the API is answered 429; 0 = none. */
  busyEvery: number
  /** Paths whose address in lists has expired; asked for alone, the thing names a fresh one. */
  readonly expired: Set<string>
  /** How long each piece of a file takes. */
  chunkMs: number
  close(): Promise<void>
}

const iso = (minute: number): string =>
  new Date(Date.UTC(2026, 0, 1) + minute * 60_000).toISOString().replace('Z', '613Z')

const digestOf = (path: string): string => createHash('sha1').update(`key ${path}`).digest('hex')

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** A client that was killed has hung up, though what it asked for is still being sent. */
const isAbandoned = ({ socket }: IncomingMessage): boolean => socket.destroyed || socket.readableEnded

export async function startUpstreamServer(account: UpstreamAccount): Promise<UpstreamServer> {
  let count = 0
  const underWay = new Set<IncomingMessage>()
  const server = createServer((request, response) => {
    for (const other of underWay) if (isAbandoned(other)) underWay.delete(other)
    underWay.add(request)
    // One after another on a connection: the next one may be here before the answer to the one before counts as sent.
    const { size } = new Set([...underWay].map(({ socket }) => socket))
    state.mostAtOnce = Math.max(state.mostAtOnce, size)
    response.on('close', () => underWay.delete(request))
    void answer(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const url = `http://127.0.0.1:${address.port}`

  const state: UpstreamServer = {
    ...{ url, account, calls: [], mostAtOnce: 0, breaks: new Map(), busyEvery: 0, expired: new Set(), chunkMs: 0 },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  const json = (
    response: ServerResponse,
    status: number,
    body: unknown,
    headers: Record<string, string> = {},
  ): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = new URL(request.url ?? '/', url)
    const { method = 'GET', headers } = request
    state.calls.push({ method, path: asked.pathname + asked.search, hasToken: headers.authorization !== undefined })
    if (asked.pathname.startsWith('/media/')) return media(request, response, asked)
    // A path without its slash is sent on, whatever the method.
    if (!asked.pathname.endsWith('/')) {
      response.writeHead(301, { location: `${asked.pathname}/${asked.search}` }).end()
      return
    }
    if (headers.authorization !== `Bearer ${TOKEN}` && headers['x-api-key'] !== TOKEN) {
      return json(response, 403, { detail: 'Authentication credentials were not provided.' })
    }
    count += 1
    if (state.busyEvery > 0 && count % state.busyEvery === 0) {
      return json(response, 429, { detail: 'Request was throttled.' }, { 'retry-after': '0' })
    }
    if (method !== 'GET') return json(response, 405, { detail: `Method "${method}" not allowed.` })
    return api(response, asked)
  }

  function api(response: ServerResponse, asked: URL): void {
    const { searchParams: query } = asked
    const [, , , noun = '', id = '', more = ''] = asked.pathname.split('/')
    const missing = (model: string): void => json(response, 404, { detail: `No ${model} matches the given query.` })
    switch (noun) {
      case 'version':
        return json(response, 200, { version: '2026.1' })
      case 'users':
        return json(response, 200, account.user)
      case 'printers': {
        const withArchived = query.get('with_archived') === 'true'
        return json(
          response,
          200,
          account.printers.filter(({ archived_at }) => withArchived || archived_at === null),
        )
      }
      case 'notification_settings':
        return json(response, 200, account.settings)
      case 'prints': {
        if (id === '') return json(response, 200, printsOf(query))
        const print = account.prints.find((one) => one['id'] === Number(id))
        if (print === undefined) return missing('Print')
        if (more === 'prediction_json') return json(response, 200, account.predictions.get(Number(id)) ?? [])
        return json(response, 200, withUrls(print, true))
      }
      case 'g_code_folders':
        return envelope(response, query, account.folders.map(folderView))
      case 'g_code_files': {
        if (id === '')
          return envelope(
            response,
            query,
            account.files
              .filter(({ resident_printer, deleted }) => resident_printer === null && deleted === null)
              .map(fileView),
          )
        const file = account.files.find((one) => one['id'] === Number(id))
        return file === undefined ? missing('GCodeFile') : json(response, 200, fileView(file))
      }
      default:
        response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not Found</h1>')
    }
  }

  /** Plain, by id; 12 when no limit is asked for. */
  function printsOf(query: URLSearchParams): Json[] {
    const sorted = [...account.prints].sort((a, b) => Number(a['id']) - Number(b['id']))
    if (query.get('sorting') !== 'date_asc') sorted.reverse()
    const start = Number(query.get('start') ?? 0)
    return sorted.slice(start, start + Number(query.get('limit') ?? 12)).map((print) => withUrls(print, false))
  }

  /** In pages of 6 unless others are asked for; beyond the last one there is no page. */
  function envelope(response: ServerResponse, query: URLSearchParams, all: readonly Json[]): void {
    const page = Number(query.get('page') ?? 1)
    const size = Number(query.get('page_size') ?? 6)
    const results = all.slice((page - 1) * size, page * size)
    if (results.length === 0 && page > 1) return json(response, 404, { detail: 'Invalid page.' })
    const next = page * size < all.length ? `${url}/?page=${page + 1}` : null
    json(response, 200, { count: all.length, next, previous: null, results })
  }

  function folderView({ id, name, parent }: UpstreamAccount['folders'][number]): Json {
    const above = account.folders.find((folder) => folder.id === parent)
    const flat = above && { id: above.id, name: above.name, safe_name: above.name, parent_folder: above.parent }
    return { id, name, safe_name: name, parent_folder: flat ?? null, created_at: iso(0), updated_at: iso(0) }
  }

  const mediaUrl = (path: unknown, isFresh: boolean): string | null => {
    if (typeof path !== 'string') return null
    const digest = state.expired.has(path) && !isFresh ? 'expired' : digestOf(path)
    return `${url}/media/${path}?digest=${digest}`
  }

  function fileView(file: Json): Json {
    const { path, parent, ...rest } = file
    const above = account.folders.find((folder) => folder.id === parent)
    const shown = file['resident_printer'] === null ? mediaUrl(path, true) : path
    return {
      ...rest,
      url: shown,
      parent_folder: above === undefined ? null : folderView(above),
      print_set: [],
      user: 1,
    }
  }

  function withUrls(print: Json, isFresh: boolean): Json {
    const { video, tagged_video, poster, shots, file, ...rest } = print
    const found = account.files.find(({ id }) => id === file)
    const flat = found && { ...fileView(found), parent_folder: found['parent'], print_set: undefined }
    return {
      ...rest,
      g_code_file: flat ?? null,
      video_url: mediaUrl(video, isFresh),
      tagged_video_url: mediaUrl(tagged_video, isFresh),
      poster_url: mediaUrl(poster, isFresh),
      // Named for every print, whether there is any.
      prediction_json_url: `${url}/api/v1/prints/${String(print['id'])}/prediction_json/`,
      printshotfeedback_set: (shots as Json[]).map(({ image, ...shot }) => ({
        ...shot,
        image_url: mediaUrl(image, isFresh),
      })),
      firstlayerinspection_set: [],
    }
  }

  async function media(request: IncomingMessage, response: ServerResponse, asked: URL): Promise<void> {
    const path = decodeURIComponent(asked.pathname.slice('/media/'.length))
    if (asked.searchParams.get('digest') !== digestOf(path)) {
      response.writeHead(403, { 'content-type': 'text/plain' }).end('Forbidden')
      return
    }
    const bytes = account.media.get(path)
    if (bytes === undefined) {
      response.writeHead(404).end()
      return
    }
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '')
    const start = Number(range?.[1] ?? 0)
    const end = range?.[2] ? Math.min(Number(range[2]), bytes.length - 1) : bytes.length - 1
    const part = bytes.subarray(start, end + 1)
    response.writeHead(range === null ? 200 : 206, {
      ...{ 'content-type': 'application/octet-stream', 'accept-ranges': 'bytes', 'content-length': part.length },
      'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
      ...(range === null ? {} : { 'content-range': `bytes ${start}-${end}/${bytes.length}` }),
    })
    const left = state.breaks.get(path) ?? 0
    if (left > 0) state.breaks.set(path, left - 1)
    const until = left > 0 ? Math.ceil(part.length / 2) : part.length
    for (let at = 0; at < until; at += 16_384) {
      if (response.destroyed || isAbandoned(request)) return void response.destroy()
      response.write(part.subarray(at, Math.min(at + 16_384, until)))
      if (state.chunkMs > 0) await sleep(state.chunkMs)
    }
    if (left > 0) setTimeout(() => response.destroy(), 30)
    else response.end()
  }

  return state
}

/** Bytes that begin like an MP4. */
function movie(size: number, seed: number): Buffer {
  const start = Buffer.from('000000186674797069736f6d0000020069736f6d69736f32', 'hex')
  const rest = Buffer.alloc(Math.max(0, size - start.length), `movie ${seed} `)
  return Buffer.concat([start, rest])
}

function gCode(lines: number, seed: number): Buffer {
  const head = `; generated by PrusaSlicer 2.8.0\n; file ${seed}\n`
  const moves = Array.from(
    { length: lines },
    (_, index) => `G1 X${index % 200} Y${(index * 7) % 200} E${index / 100}\n`,
  )
  const tail =
    '; filament used [mm] = 1234.5\n; estimated printing time (normal mode) = 1h 2m 3s\n; layer_height = 0.2\n'
  return Buffer.from(head + moves.join('') + tail)
}

function printerOf(id: number, name: string, more: Json = {}): Json {
  return {
    ...{ id, name, created_at: iso(id), action_on_failure: 'PAUSE', watching_enabled: true, not_watching_reason: null },
    ...{ tools_off_on_pause: true, bed_off_on_pause: false, retract_on_pause: 6.5, lift_z_on_pause: 2.5 },
    ...{ detective_sensitivity: 1.0, min_timelapse_secs_on_finish: 600, min_timelapse_secs_on_cancel: 300 },
    ...{ auth_token: createHash('sha1').update(`agent ${id}`).digest('hex').slice(0, 20), archived_at: null },
    ...{ agent_name: 'moonraker_obico', agent_version: '2.1.4', pic: null, status: null, settings: {} },
    ...{ current_print: null, normalized_p: 0 },
    ...more,
  }
}

/** A printer inside a print: without what changes by the second. */
const summaryOf = (printer: Json): Json => ({
  ...printer,
  ...{ pic: undefined, status: undefined, settings: undefined, current_print: undefined, normalized_p: undefined },
})

function printOf(id: number, printer: Json | null, more: Json = {}): Json {
  const minute = id * 100
  return {
    ...{ id, printer: printer && summaryOf(printer), filename: `part-${id}.gcode`, file: null },
    ...{ started_at: iso(minute), finished_at: iso(minute + 60), ended_at: iso(minute + 60), cancelled_at: null },
    ...{ uploaded_at: null, alerted_at: null, alert_acknowledged_at: null, alert_muted_at: null, paused_at: null },
    ...{ video: null, tagged_video: null, poster: null, alert_overwrite: null, filament_used: null, print_time: null },
    ...{ access_consented_at: null, video_archived_at: null, shots: [] },
    ...more,
  }
}

function fileOf(id: number, filename: string, more: Json = {}): Json {
  return {
    ...{ id, filename, safe_filename: filename.replaceAll(/[^\w.]/g, '_'), parent: null, path: null, deleted: null },
    ...{ deleted_by_cascade: false, num_bytes: null, agent_signature: null, metadata_json: null, filament_total: null },
    ...{ estimated_time: null, thumbnail1_url: null, thumbnail2_url: null, thumbnail3_url: null },
    ...{ created_at: iso(id), updated_at: iso(id), resident_printer: null },
    ...more,
  }
}

/** An account with one of everything that is odd, and `plain` prints besides. */
export async function oddAccount({ plain = 0, videoBytes = 200_000 } = {}): Promise<UpstreamAccount> {
  const media = new Map<string, Buffer>()
  const picture = (hue: string): Promise<Buffer> =>
    sharp({ create: { width: 320, height: 240, channels: 3, background: hue } })
      .jpeg()
      .toBuffer()
  const put = (path: string, bytes: Buffer): string => {
    media.set(path, bytes)
    return path
  }
  const left = printerOf(1, 'Left', {
    detective_sensitivity: 1.1,
    retract_on_pause: 3,
    action_on_failure: 'NONE',
    current_print: { id: 8 },
  })
  const right = printerOf(2, 'Right', { agent_name: 'octoprint_obico', min_timelapse_secs_on_cancel: -1 })
  const old = printerOf(3, 'Old', { archived_at: iso(5) })
  const deleted = printerOf(4, 'Sold')

  const files = [
    fileOf(1, 'boat.gcode', {
      path: put('tsd-gcodes/1', gCode(4000, 1)),
      parent: 3,
      num_bytes: gCode(4000, 1).length,
      agent_signature: 'ts:1700000000.5',
    }),
    fileOf(2, 'no ending', { path: put('tsd-gcodes/2', gCode(100, 2)), num_bytes: gCode(100, 2).length }),
    fileOf(3, 'bytes are gone.gcode', { path: 'tsd-gcodes/none', num_bytes: 5000 }),
    fileOf(4, 'on the printer.gcode', {
      path: 'gcodes/on the printer.gcode',
      resident_printer: 1,
      agent_signature: 'ts:1.5',
      num_bytes: 77,
    }),
    fileOf(5, 'deleted.gcode', { deleted: iso(50), path: null }),
    ...Array.from({ length: 8 }, (_, index) =>
      fileOf(10 + index, `small ${index}.gcode`, {
        path: put(`tsd-gcodes/${10 + index}`, gCode(20, index)),
        parent: 1,
        num_bytes: 900,
      }),
    ),
  ]
  const frame = (minute: number): Json => ({
    model: 'app.printerprediction',
    pk: 1,
    fields: {
      ...{ current_frame_num: minute, lifetime_frame_num: 100 + minute, current_p: 0.3, ewm_mean: 0.2 },
      ...{
        rolling_mean_long: 0.02,
        rolling_mean_short: 0.1,
        normalized_p: 0.25,
        created_at: iso(minute),
        updated_at: iso(minute),
      },
    },
  })
  const predictions = new Map<number, unknown>([[1, [frame(101), {}, frame(102), frame(103)]]])
  const prints = [
    printOf(1, left, {
      ...{
        file: 1,
        video: put('tsd-timelapses/1.mp4', movie(videoBytes, 1)),
        tagged_video: put('tsd-timelapses/1-tagged.mp4', movie(videoBytes * 2, 2)),
      },
      ...{ poster: put('tsd-timelapses/1.jpg', await picture('#369')), filament_used: 1234.5, print_time: 3600.25 },
      ...{
        alerted_at: iso(120),
        alert_acknowledged_at: iso(121),
        alert_muted_at: iso(122),
        paused_at: iso(120),
        alert_overwrite: 'NOT_FAILED',
      },
      shots: [
        {
          id: 31,
          print_id: 1,
          image: put('tsd-pics/31.jpg', await picture('#963')),
          answer: 'LOOKS_OK',
          answered_at: iso(200),
        },
        { id: 32, print_id: 1, image: put('tsd-pics/32.jpg', await picture('#396')), answer: null, answered_at: null },
        { id: 33, print_id: 1, image: 'tsd-pics/none.jpg', answer: null, answered_at: null },
      ],
    }),
    printOf(2, right, {
      finished_at: null,
      cancelled_at: iso(230),
      ended_at: iso(230),
      file: 5,
      access_consented_at: iso(231),
    }),
    printOf(3, old, { file: 4, video: put('tsd-timelapses/3.mp4', movie(videoBytes, 3)) }),
    printOf(4, deleted, {}),
    printOf(5, null, {}),
    printOf(6, left, { video: 'tsd-timelapses/none.mp4' }),
    printOf(7, left, { video_archived_at: iso(900), uploaded_at: iso(800) }),
    printOf(8, left, { finished_at: null, ended_at: null, file: 2 }),
    printOf(9, left, { video: put('tsd-timelapses/9.mp4', Buffer.from('<html>this is no video at all</html>')) }),
    ...Array.from({ length: plain }, (_, index) => printOf(100 + index, index % 2 === 0 ? left : right, {})),
  ]
  return {
    user: {
      ...{ id: 7, email: 'them@old.example', first_name: 'Kim', last_name: 'Ito', username: null, date_joined: iso(0) },
      ...{ account_notification_by_email: false, notification_enabled: true, is_pro: true, dh_balance: 0 },
    },
    printers: [left, right, old],
    prints,
    // The deepest first: lists are in no such order.
    folders: [
      { id: 3, name: 'Inner', parent: 2 },
      { id: 2, name: 'Middle', parent: 1 },
      { id: 1, name: 'Outer', parent: null },
      { id: 4, name: 'Outer 2', parent: null },
    ],
    files,
    settings: [
      { id: 1, name: 'email', config: {}, enabled: true, notify_on_failure_alert: true, notify_on_print_done: false },
      {
        id: 2,
        name: 'discord',
        config: { webhook_url: 'https://discord.example/hook' },
        enabled: true,
        notify_on_print_start: true,
      },
      { id: 3, name: 'telegram', config: { chat_id: 123456 }, enabled: false },
      { id: 4, name: 'line', config: { token: 'x' }, enabled: true },
    ],
    predictions,
    media,
  }
}
