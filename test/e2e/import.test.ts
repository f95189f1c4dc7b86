import { readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { type Client, createClient, type Print } from '@printwarden/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ADMIN,
  ourProgram,
  type Program,
  runServerCommand,
  type ServerProgram,
  startAgent,
  startProgram,
  startServer,
  temporaryFolder,
  until,
} from '../support/processes.js'
import { oddAccount, startUpstreamServer, TOKEN, type UpstreamServer } from '../support/upstream-server.js'

// Moving from another server, as an operator does it: by the command line, over real HTTP, into a running server; killed again and again.

const PLAIN_PRINTS = 120

interface Told {
  readonly kind: string
  readonly source_id: number
  readonly what: string
  readonly reason: string
}

interface Answer {
  readonly email: string
  readonly counts: Record<string, Record<string, number>>
  readonly told: readonly Told[]
  readonly bytes: number
  readonly to_download: { files: number; bytes: number } | null
}

let folder: { path: string; remove: () => Promise<void> }
let upstream: UpstreamServer
let server: ServerProgram
let client: Client
let token: string

const issueToken = async (url: string): Promise<string> => {
  const issue = ['token', 'issue', '--user', ADMIN.email, '--scope', 'read write', '--json']
  return (JSON.parse(await runServerCommand(url, issue)) as { access_token: string }).access_token
}

beforeAll(async () => {
  folder = await temporaryFolder()
  upstream = await startUpstreamServer(await oddAccount({ plain: PLAIN_PRINTS, videoBytes: 400_000 }))
  server = await startServer({ dataDir: join(folder.path, 'data'), env: { PRINTWARDEN_ROLES: 'web' } })
  token = await issueToken(server.url)
  client = createClient({ baseUrl: server.url, token })
}, 300_000)

afterAll(async () => {
  await server?.stop()
  await upstream?.close()
  await folder?.remove()
})

function startImport(to: string, args: readonly string[], sourceToken = TOKEN): Program {
  const { command, args: programArgs } = ourProgram('server')
  return startProgram(command, [...programArgs, 'import', '--url', to, ...args], {
    PRINTWARDEN_ADMIN_EMAIL: ADMIN.email,
    PRINTWARDEN_ADMIN_PASSWORD: ADMIN.password,
    PRINTWARDEN_IMPORT_TOKEN: sourceToken,
  })
}

/** Runs it to its end; progress goes before the answer. */
async function runImport(args: readonly string[] = []): Promise<Answer> {
  const program = startImport(server.url, ['--from', upstream.url, '--json', ...args])
  expect({ code: await program.ended, output: program.output() }).toMatchObject({ code: 0 })
  return JSON.parse(program.output().slice(program.output().indexOf('\n{\n') + 1)) as Answer
}

/** What is said when it cannot be done. */
async function refusal(args: readonly string[], sourceToken?: string): Promise<string> {
  const program = startImport(server.url, args, sourceToken)
  expect({ code: await program.ended, output: program.output() }).toMatchObject({ code: 1 })
  return program.output()
}

const allPrints = (): Promise<Print[]> => client.listPrints({ sorting: 'date_asc', start: 0, limit: 500 })

/** Every blob of prints and files, by its kind. */
async function blobs(): Promise<string[]> {
  const entries = await readdir(join(folder.path, 'data/blobs'), { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return paths.filter((path) => /\/(prints|users)\//.test(path)).sort()
}

test('a dry run says what would come, and changes nothing', async () => {
  const answer = await runImport(['--dry-run'])
  expect(answer).toMatchObject({ email: ADMIN.email, counts: { printer: { created: 4 }, folder: { created: 4 } } })
  expect(answer.counts['print']).toMatchObject({ created: 7 + PLAIN_PRINTS, left_out: 2 })
  expect(answer.to_download?.files).toBeGreaterThan(15)
  expect(answer.to_download?.bytes).toBeGreaterThan(800_000)
  expect(await client.listPrinters({ with_archived: true })).toEqual([])
  expect((await client.getMe()).first_name).toBe('')
  expect(await blobs()).toEqual([])
})

test('killed again and again it goes on: nothing twice, nothing lost', async () => {
  upstream.chunkMs = 20
  upstream.busyEvery = 5
  upstream.breaks.set('tsd-timelapses/1.mp4', 3).set('tsd-gcodes/1', 2)
  upstream.expired.add('tsd-timelapses/3.mp4')
  let kills = 0
  for (const more of [4, 9, 15, 22, 26]) {
    const before = upstream.calls.length
    const program = startImport(server.url, ['--from', upstream.url])
    const isThere = (): boolean => upstream.calls.length - before >= more
    let isOver = false
    void program.ended.then(() => (isOver = true))
    await until('the moment to kill it', () => isThere() || isOver, 60_000, 2)
    if (!isOver) kills += 1
    await program.kill()
  }
  expect(kills).toBeGreaterThan(2)
  upstream.chunkMs = 0
  await runImport()
  await expectEverything()

  const again = await runImport()
  for (const counts of Object.values(again.counts)) expect(counts).toMatchObject({ created: 0, updated: 0, failed: 0 })
  await expectEverything()
  expect(upstream.mostAtOnce).toBeLessThanOrEqual(3)
  // The token goes to the API alone, and nothing is changed there.
  expect(upstream.calls.filter(({ hasToken, path }) => hasToken && path.startsWith('/media/'))).toEqual([])
  expect(upstream.calls.filter(({ method }) => method !== 'GET')).toEqual([])
}, 600_000)

async function expectEverything(): Promise<void> {
  const printers = await client.listPrinters({ with_archived: true })
  expect(printers.map(({ name, archived_at }) => [name, archived_at !== null])).toEqual([
    ...[
      ['Left', false],
      ['Right', false],
      ['Old', true],
      ['Sold', true],
    ], // the last one was deleted there
  ])
  const tokens = upstream.account.printers.map(({ auth_token }) => auth_token)
  expect(printers.slice(0, 3).map(({ auth_token }) => auth_token)).toEqual(tokens)
  expect(printers[0]).toMatchObject({ detective_sensitivity: 1.1, retract_on_pause: 3, action_on_failure: 'NONE' })

  const prints = await allPrints()
  const names = prints.map(({ filename }) => filename)
  const expected = [1, 2, 3, 4, 6, 7, 9, ...Array.from({ length: PLAIN_PRINTS }, (_, index) => 100 + index)]
  expect(names).toEqual(expected.map((id) => `part-${id}.gcode`))
  const [first, second, third] = prints
  expect(first).toMatchObject({
    ...{ started_at: '2026-01-01T01:40:00.000Z', finished_at: '2026-01-01T02:40:00.000Z', cancelled_at: null },
    ...{ alerted_at: '2026-01-01T02:00:00.000Z', alert_acknowledged_at: '2026-01-01T02:01:00.000Z' },
    ...{ alert_muted_at: '2026-01-01T02:02:00.000Z', paused_at: '2026-01-01T02:00:00.000Z' },
    ...{ alert_overwrite: 'NOT_FAILED', filament_used: 1234.5, print_time: 3600.25 },
    g_code_file: { filename: 'boat.gcode' },
    printer: { name: 'Left' },
  })
  expect(first?.printshotfeedback_set.map(({ answer }) => answer).sort()).toEqual(['LOOKS_OK', null])
  expect(second).toMatchObject({ finished_at: null, cancelled_at: '2026-01-01T03:50:00.000Z' })
  expect(second?.g_code_file?.deleted).not.toBeNull()
  expect(third).toMatchObject({ g_code_file: { filename: 'on the printer.gcode', resident_printer: printers[0]?.id } })
  await expectSameBytes(first?.video_url, 'tsd-timelapses/1.mp4')
  await expectSameBytes(first?.tagged_video_url, 'tsd-timelapses/1-tagged.mp4')
  await expectSameBytes(first?.poster_url, 'tsd-timelapses/1.jpg')
  await expectSameBytes(third?.video_url, 'tsd-timelapses/3.mp4')
  const predictions = await client.getPredictionJson({ id: first?.id ?? 0 })
  expect(predictions.map((frame) => ('fields' in frame ? frame.fields.normalized_p : null))).toEqual([
    0.25,
    null,
    0.25,
    0.25,
  ])

  const folders = await client.listGCodeFolders({ page_size: 200 })
  const parentOf = Object.fromEntries(folders.map(({ name, parent_folder }) => [name, parent_folder?.name ?? null]))
  expect(parentOf).toEqual({ Outer: null, Middle: 'Outer', Inner: 'Middle', 'Outer 2': null })
  const files = await client.listGCodeFiles({ page_size: 200 })
  const boat = files.find(({ filename }) => filename === 'boat.gcode')
  expect(boat).toMatchObject({ parent_folder: { name: 'Inner' }, filament_total: 1234.5, estimated_time: 3723 })
  expect(boat).toMatchObject({ agent_signature: 'ts:1700000000.5', created_at: '2026-01-01T00:01:00.000Z' })
  await expectSameBytes(boat?.url, 'tsd-gcodes/1')
  expect(files.filter(({ resident_printer }) => resident_printer === null)).toHaveLength(10)

  expect(await client.getMe()).toMatchObject({
    first_name: 'Kim',
    last_name: 'Ito',
    account_notification_by_email: false,
  })
  const settings = await client.listNotificationSettings()
  expect(settings.map(({ name, config }) => [name, config])).toEqual([
    ['email', {}],
    ['discord', { webhook_url: 'https://discord.example/hook' }],
    ['telegram', { chat_id: '123456' }],
  ])
  expect(settings.map(({ notify_on_print_done }) => notify_on_print_done)).toEqual([false, true, true])
  // Nothing is left of what was cut off: 3 videos, a still picture and 2 shots of prints, 10 files.
  await until('the blobs to be as many as they should', async () => (await blobs()).length === 16, 20_000)
}

const hashesOf = (files: readonly { sha256: string | null }[]): string[] =>
  files.map(({ sha256 }) => sha256 ?? '').sort((one, other) => (one < other ? -1 : 1))

async function expectSameBytes(url: string | null | undefined, path: string): Promise<void> {
  const response = await fetch(url ?? '')
  expect(response.status).toBe(200)
  expect(Buffer.from(await response.arrayBuffer()).equals(upstream.account.media.get(path) ?? Buffer.alloc(0))).toBe(
    true,
  )
}

test('what was changed here stays, and is named; what was changed only there comes', async () => {
  const [left] = await client.listPrinters({ with_archived: true })
  const [first] = await allPrints()
  await client.updatePrinter({ id: left?.id ?? 0, name: 'Mine' })
  const removed = (await allPrints()).at(-1)
  await client.deletePrint({ id: removed?.id ?? 0 })
  Object.assign(upstream.account.printers[0] ?? {}, { name: 'Theirs', detective_sensitivity: 0.9 })
  Object.assign(upstream.account.prints[0] ?? {}, { alert_overwrite: 'FAILED' })

  const answer = await runImport()
  expect(answer.counts['printer']).toMatchObject({ updated: 1, created: 0 })
  expect(answer.told).toContainEqual(
    expect.objectContaining({ kind: 'printer', source_id: 1, reason: expect.stringMatching(/kept .*: name$/) }),
  )
  expect(await client.getPrinter({ id: left?.id ?? 0 })).toMatchObject({ name: 'Mine', detective_sensitivity: 0.9 })
  expect(await client.getPrint({ id: first?.id ?? 0 })).toMatchObject({ alert_overwrite: 'FAILED' })
  expect((await allPrints()).map(({ filename }) => filename)).not.toContain(removed?.filename)
}, 120_000)

test('an agent needs only the new address', async () => {
  const config = join(folder.path, 'printwarden-agent.cfg')
  const authToken = String(upstream.account.printers[1]?.['auth_token'])
  expect(authToken).toMatch(/^[0-9a-f]{20}$/)
  const camera = '[camera virtual bed]\npictures: generated\ninterval: 1\n'
  await writeFile(
    config,
    `[server]\nurl: ${server.url}\n\n[printer virtual]\nauth_token: ${authToken}\nhost: virtual\nduration: 80\nheating: 2\n\n${camera}`,
  )
  const agent = startAgent(config)
  try {
    const online = await until(
      'the agent to be online with a picture',
      async () => {
        const printer = (await client.listPrinters({})).find(({ name }) => name === 'Right')
        return printer?.status !== null && printer?.pic !== null ? printer : undefined
      },
      120_000,
    )
    expect(online?.current_print?.id).not.toBe((await allPrints())[0]?.id)
  } finally {
    await agent.stop()
  }
}, 180_000)

test('from one server of ours to another all comes over, the tokens too', async () => {
  const second = await temporaryFolder()
  const other = await startServer({ dataDir: join(second.path, 'data'), env: { PRINTWARDEN_ROLES: 'web' } })
  try {
    const program = startImport(other.url, ['--from', server.url], token)
    expect({ code: await program.ended, output: program.output() }).toMatchObject({ code: 0 })
    const there = createClient({ baseUrl: other.url, token: await issueToken(other.url) })
    const shownOf = async (of: Client) => ({
      printers: (await of.listPrinters({ with_archived: true })).map(({ name, auth_token }) => ({ name, auth_token })),
      prints: (await of.listPrints({ sorting: 'date_asc', start: 0, limit: 500 }))
        .filter(({ ended_at }) => ended_at !== null)
        .map((print) => ({
          ...{
            filename: print.filename,
            started_at: print.started_at,
            ended_at: print.ended_at,
            of: print.printer?.name,
          },
          ...{ file: print.g_code_file?.filename, shots: print.printshotfeedback_set.length },
          ...{ hasVideo: print.video_url !== null, hasBoxes: print.tagged_video_url !== null },
          hasScores: print.prediction_json_url !== null,
        })),
      files: (await of.listGCodeFiles({ page_size: 200 })).map(({ filename, sha256 }) => ({
        filename,
        sha256,
      })),
    })
    const [mine, theirs] = [await shownOf(client), await shownOf(there)]
    // A deleted printer was archived in the first place, and has a token of its own since: that one comes over as well.
    expect(theirs.printers).toEqual(mine.printers)
    expect(theirs.prints).toEqual(mine.prints)
    expect(hashesOf(theirs.files)).toEqual(hashesOf(mine.files))
  } finally {
    await other.stop()
    await second.remove()
  }
}, 300_000)

test('what is wrong is said in one line', async () => {
  const page = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
  )
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve))
  const address = page.address()
  const port = typeof address === 'object' ? address?.port : 0
  try {
    expect(await refusal(['--from', upstream.url], 'wrong')).toMatch(
      /does not accept the token \(403\); make one there/,
    )
    expect(await refusal(['--from', `http://127.0.0.1:${port}`])).toMatch(/something that is no JSON/)
    expect(await refusal(['--from', 'ftp://x'])).toMatch(/is no URL of a server/)
    expect(await refusal(['--from', upstream.url, '--only', 'everything'])).toMatch(/--only everything: is none of/)
    expect(await refusal(['--from', upstream.url, '--user', 'nobody@example.test'])).toMatch(
      /no account has this address/,
    )
    Object.assign(upstream.account.printers[0] ?? {}, { auth_token: null })
    expect(await refusal(['--from', upstream.url])).toMatch(/is not shown the agents' tokens/)
  } finally {
    page.close()
  }
}, 180_000)
