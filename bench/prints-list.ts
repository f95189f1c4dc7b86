import { startTestServer, type TestServer, type TestUser } from '../packages/server/src/testing.js'
import { show, spread, table } from './measure.js'

// How long lists and statistics of prints take for users with few and with very many prints, all of them in one database: the whole
// request over HTTP. First pages should cost the same for everybody. How the engine goes about the queries is checked by a test
// (packages/server/src/prints/store.test.ts).

const SIZES = [100, 10_000, 1_000_000]
const PRINTERS = 20
/** One print every five minutes: a million of them are nine and a half years. */
const APART_MS = 300_000
const NEWEST = Date.parse('2026-11-21T12:00:00Z')
const RUNS = 30
const BATCH = 1000

/** One in 10 was cancelled, one in 200 failed, one in 1,000 has a shot to judge. */
function printRow(userId: number, printerId: number, index: number, started_at: number) {
  const isCancelled = index % 10 === 0
  return {
    ...{ user_id: userId, printer_id: printerId, current_print_ts: index, started_at, filename: `part-${index}.gcode` },
    state: isCancelled ? 'cancelled' : 'finished',
    finished_at: isCancelled ? null : started_at + 3_600_000,
    cancelled_at: isCancelled ? started_at + 1_800_000 : null,
    failed_at: index % 200 === 0 ? started_at + 1_800_000 : null,
    alert_overwrite: index % 3 === 0 ? 'NOT_FAILED' : null,
    print_time: index % 7200,
    filament_used: index % 5000,
  }
}

/** Adds prints of all printers in turn. */
async function addPrints({ database }: TestServer, user: TestUser, printerIds: readonly number[], count: number) {
  for (let from = 0; from < count; from += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, count - from) }, (_, offset) => {
      const index = from + offset
      return printRow(user.id, printerIds[index % PRINTERS] ?? 0, index, NEWEST - (count - index) * APART_MS)
    })
    await database.transaction(async (trx) => {
      await trx.insertInto('prints').values(rows).execute()
      const { id } = await trx
        .selectFrom('prints')
        .select('id')
        .where('printer_id', '=', printerIds[(from + 7) % PRINTERS] ?? 0)
        .where('current_print_ts', '=', from + 7)
        .executeTakeFirstOrThrow()
      const shot = { print_id: id, user_id: user.id, image_key: `prints/${id}/shots/1.jpg`, created_at: 0 }
      await trx.insertInto('print_shot_feedbacks').values(shot).execute()
    })
  }
}

interface Request {
  readonly name: string
  readonly path: (printerIds: readonly number[], size: number) => string
}

const list = (query: string) => `/api/v1/prints/?${query}`
const PAGE = 'sorting=date_desc&limit=50'
const deep = (share: number): Request => ({
  name: `50 after ${share * 100} % of all`,
  path: (_, size) => list(`${PAGE}&start=${Math.round(size * share)}`),
})

const REQUESTS: readonly Request[] = [
  { name: 'the newest 50', path: () => list(PAGE) },
  { name: 'the oldest 50', path: () => list('sorting=date_asc&limit=50') },
  { name: 'no parameters (500)', path: () => list('') },
  { name: 'of one printer', path: ([id]) => list(`${PAGE}&filter_by_printer_ids[]=${id}`) },
  {
    name: 'of three printers',
    path: (ids) =>
      list(
        `${PAGE}${ids
          .slice(0, 3)
          .map((id) => `&filter_by_printer_ids[]=${id}`)
          .join('')}`,
      ),
  },
  ...['finished', 'cancelled', 'failed', 'need_alert_overwrite', 'need_print_shot_feedback'].map((filter) => ({
    name: `filter=${filter}`,
    path: () => list(`${PAGE}&filter=${filter}`),
  })),
  {
    name: 'of a month in Berlin',
    path: () => list(`${PAGE}&from_date=2026-10-01&to_date=2026-10-31&timezone=Europe/Berlin`),
  },
  {
    name: 'cancelled, need_alert_overwrite',
    path: () => list(`${PAGE}&filter=cancelled&feedback_needed=need_alert_overwrite`),
  },
  deep(0.1),
  deep(0.5),
  deep(0.99),
  {
    name: 'statistics of a month by day',
    path: () => `/api/v1/prints/stats/?group_by=day&from_date=2026-10-01&to_date=2026-10-31&timezone=Europe/Berlin`,
  },
  {
    name: 'statistics of ten years by month',
    path: () => `/api/v1/prints/stats/?group_by=month&from_date=2017-01-01&to_date=2026-12-31&timezone=Europe/Berlin`,
  },
]

/** Milliseconds of several requests, one after another. */
async function measure(server: TestServer, user: TestUser, path: string): Promise<string> {
  const times: number[] = []
  for (let run = 0; run < RUNS + 2; run += 1) {
    const started = performance.now()
    const { status } = await server.call('GET', path, { token: user.token })
    if (status !== 200) throw new Error(`${path} answers ${status}`)
    // The first ones are slower: statements are compiled, pages are read.
    if (run >= 2) times.push(performance.now() - started)
    if (times.reduce((sum, time) => sum + time, 0) > 10_000) break
  }
  return show(spread(times))
}

const server = await startTestServer()
const users: { user: TestUser; printerIds: number[]; size: number }[] = []
for (const size of SIZES) {
  const user = await server.addUser(`user-${size}`)
  const printerIds: number[] = []
  for (let index = 0; index < PRINTERS; index += 1) printerIds.push((await server.addPrinter(user.id)).printer.id)
  const started = performance.now()
  await addPrints(server, user, printerIds, size)
  console.log(`${size} prints added in ${((performance.now() - started) / 1000).toFixed(1)} s`)
  users.push({ user, printerIds, size })
}

const rows: string[][] = []
for (const { name, path } of REQUESTS) {
  const cells: string[] = []
  for (const { user, printerIds, size } of users) cells.push(await measure(server, user, path(printerIds, size)))
  rows.push([name, ...cells])
}
console.log(`\nmilliseconds of a whole request, min / median / max of up to ${RUNS}\n`)
console.log(table(['request', ...SIZES.map((size) => `${size} prints`)], rows))
await server.close()
