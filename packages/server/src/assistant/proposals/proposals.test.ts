import { ActionProposal } from '@printwarden/protocol'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { TEST_POSTGRES_URL } from '../../adapters/testing.js'
import { upload } from '../../g-code/testing.js'
import type { TestUser } from '../../testing.js'
import type { Database } from '../../ports.js'
import { type AssistantServer, calls, type ConnectedPrinter, startAssistantServer } from '../testing.js'

// What the assistant proposes and what becomes of it: by a model that calls, over HTTP, down to the agent's socket.

const TS = 1_795_000_000
type Db = Database['db']
let world: AssistantServer
/** Somebody new in each test, with a printer that prints. */
let user: TestUser
let printer: ConnectedPrinter
let cookie: string
let users = 0

beforeAll(async () => {
  world = await startAssistantServer()
})
afterAll(() => world.close())
beforeEach(async () => {
  user = await world.server.addUser(`maker${(users += 1)}`)
  printer = await world.addPrinter(user)
  cookie = await world.signIn(user.id)
  await printer.tell('Printing', TS, { event: 'PrintStarted' })
})

/** Has the model propose it, and hands over what came of it. */
async function propose(args: object): Promise<ActionProposal | undefined> {
  world.fake.script.push(calls('propose_action', { printer_id: printer.id, reason: 'It strings.', ...args }))
  const { proposals = [] } = await world.ask(user.token)
  expect(proposals.length).toBeLessThan(2)
  return proposals[0]
}

async function proposed(args: object = { action: 'pause' }): Promise<ActionProposal> {
  const proposal = await propose(args)
  if (proposal === undefined) throw new Error('nothing was proposed')
  return proposal
}

const confirm = (id: number, headers: Record<string, string> = { cookie }) => world.decide(headers, id, 'confirm')
const stateOf = async (id: number) => (await world.proposals(user.token)).find((one) => one.id === id)

test('a proposal waits, says what it is about, and does nothing', async () => {
  const proposal = await proposed()
  expect(proposal).toMatchObject({
    ...{
      action: 'pause',
      printer_id: printer.id,
      printer_name: 'Left',
      print_id: expect.any(Number),
      g_code_file_id: null,
    },
    ...{ filename: 'boat.gcode', reason: 'It strings.', state: 'waiting', error: null, decided_at: null },
  })
  expect(Date.parse(proposal.expires_at) - Date.parse(proposal.created_at)).toBe(15 * 60_000)
  expect(await world.proposals(user.token)).toEqual([proposal])
  expect(await printer.commands()).toEqual([])
})

test.each([
  { action: 'pause', before: 'Printing', after: 'Paused', event: 'PrintPaused', words: 'paused' },
  { action: 'resume', before: 'Paused', after: 'Printing', event: 'PrintResumed', words: 'resumed' },
  { action: 'cancel', before: 'Printing', after: 'Operational', event: 'PrintCancelled', words: 'cancelled' },
] as const)(
  '$action is done once confirmed, and history says who did it',
  async ({ action, before, after, event, words }) => {
    if (before === 'Paused') await printer.tell('Paused', TS, { event: 'PrintPaused' })
    const { id, print_id } = await proposed({ action })
    const answer = await confirm(id)
    expect(answer).toMatchObject({
      status: 200,
      json: { id, state: 'done', error: null, decided_at: expect.any(String) },
    })
    expect(await printer.commands()).toEqual([action])
    await printer.tell(after, action === 'cancel' ? -1 : TS, { event })
    const { json } = await world.server.call('GET', `/api/v1/prints/${print_id}/`, { token: user.token })
    expect(json).toMatchObject({
      last_action: { action: words, by: 'user', name: user.email, reason: 'assistant' },
    })
    const history = await world.server.call('GET', `/api/v1/printer_events/?print_id=${print_id}`, {
      token: user.token,
    })
    expect(history.text).toContain(`by ${user.email}, as the assistant proposed`)
  },
)

test('a stored file is printed once confirmed', async () => {
  await printer.tell('Operational', -1, { event: 'PrintDone' })
  const file = await upload(world.server, 'hook.gcode', 'G28\nG1 X1\n', { token: user.token })
  const { id, g_code_file_id, filename, print_id } = await proposed({ action: 'print', g_code_file_id: file.id })
  expect([g_code_file_id, filename, print_id]).toEqual([file.id, 'hook.gcode', null])
  expect(await printer.commands()).toEqual([])
  expect((await confirm(id)).json).toMatchObject({ state: 'done' })
  expect(await printer.commands()).toEqual(['print'])
})

describe('only its user, in a browser, can confirm it', () => {
  test.each([
    { name: 'a token with both scopes', headers: () => ({ authorization: `Bearer ${user.token}` }), status: 403 },
    { name: 'the same as X-API-KEY', headers: () => ({ 'x-api-key': user.token }), status: 403 },
    {
      name: 'a session used by a foreign page',
      headers: () => ({ cookie, origin: 'https://evil.example' }),
      status: 403,
    },
    { name: 'nobody', headers: () => ({}), status: 401 },
  ])('$name is refused', async ({ headers, status }) => {
    const { id } = await proposed()
    for (const decision of ['confirm', 'dismiss'] as const) {
      expect((await world.decide(headers() as Record<string, string>, id, decision)).status).toBe(status)
    }
    expect(await stateOf(id)).toMatchObject({ state: 'waiting' })
    expect(await printer.commands()).toEqual([])
  })

  test("somebody else's session finds nothing", async () => {
    const { id } = await proposed()
    const theirs = { cookie: await world.signIn(world.server.other.id) }
    expect((await confirm(id, theirs)).status).toBe(404)
    expect((await world.decide(theirs, id, 'dismiss')).status).toBe(404)
    expect(await printer.commands()).toEqual([])
  })
})

test('of many who confirm at once, one does', async () => {
  const { id } = await proposed()
  const answers = await Promise.all(Array.from({ length: 8 }, () => confirm(id)))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array<number>(7).fill(409)])
  expect(await printer.commands()).toEqual(['pause'])
  expect((await confirm(id)).status).toBe(409)
  expect(await printer.commands()).toEqual(['pause'])
})

test('what was dismissed is not done any more', async () => {
  const { id } = await proposed()
  expect((await world.decide({ cookie }, id, 'dismiss')).json).toMatchObject({ state: 'dismissed' })
  expect(await confirm(id)).toMatchObject({ status: 409, json: { detail: expect.stringContaining('dismissed') } })
  expect((await world.decide({ cookie }, id, 'dismiss')).status).toBe(409)
  expect(await printer.commands()).toEqual([])
})

test('what has expired is not done any more', async () => {
  const { id } = await proposed()
  await world.server.database.db
    .updateTable('assistant_proposals')
    .set({ expires_at: world.server.clock.now() })
    .where('id', '=', id)
    .execute()
  expect(await confirm(id)).toMatchObject({ status: 409, json: { detail: 'The proposal has expired.' } })
  expect(await stateOf(id)).toMatchObject({ state: 'expired' })
  expect(await printer.commands()).toEqual([])
})

test.each([
  { name: 'has ended', next: -1 },
  { name: 'has made room for another', next: TS + 5000 },
])('a print that $name is not touched, nor is any other', async ({ next }) => {
  const { id } = await proposed({ action: 'cancel' })
  await printer.tell('Operational', -1, { event: 'PrintDone' })
  if (next > 0) await printer.tell('Printing', next, { event: 'PrintStarted' })
  expect(await confirm(id)).toMatchObject({ status: 409, json: { code: 'conflict' } })
  expect(await stateOf(id)).toMatchObject({ state: 'failed', error: 'The printer prints something else by now.' })
  expect((await confirm(id)).status).toBe(409)
  expect(await printer.commands()).toEqual([])
})

test('what makes no sense any more fails with the reason', async () => {
  const { id } = await proposed()
  await printer.tell('Paused', TS, { event: 'PrintPaused' })
  expect(await confirm(id)).toMatchObject({
    status: 200,
    json: { state: 'failed', error: 'The print is not running.' },
  })
  expect(await printer.commands()).toEqual([])
})

test('an agent that is gone is told as such', async () => {
  const { id } = await proposed()
  await printer.agent.kill()
  expect((await confirm(id)).json).toMatchObject({ state: 'failed', error: expect.stringMatching(/agent|offline/) })
})

test('a server that was killed in the middle: it counts as failed after a while, and is never done a second time', async () => {
  const { id } = await proposed()
  const running = { state: 'running', decided_at: world.server.clock.now() }
  await world.server.database.db.updateTable('assistant_proposals').set(running).where('id', '=', id).execute()
  expect(await stateOf(id)).toMatchObject({ state: 'running' })
  const decided_at = world.server.clock.now() - 120_000
  await world.server.database.db.updateTable('assistant_proposals').set({ decided_at }).where('id', '=', id).execute()
  expect(await stateOf(id)).toMatchObject({ state: 'failed', error: expect.stringContaining('not known') })
  expect(await confirm(id)).toMatchObject({ status: 409, json: { detail: 'The proposal is failed already.' } })
  expect(await printer.commands()).toEqual([])
})

/** From then on no print can be changed, as on a database that is too busy. */
const refuseChanges =
  TEST_POSTGRES_URL === undefined
    ? {
        begin: (db: Db) =>
          sql`create trigger busy before update on prints begin select raise(abort, 'busy'); end`.execute(db),
        end: (db: Db) => sql`drop trigger busy`.execute(db),
      }
    : {
        async begin(db: Db) {
          const body = sql`begin raise exception 'busy'; end`
          await sql`create function busy() returns trigger language plpgsql as $$ ${body} $$`.execute(db)
          await sql`create trigger busy before update on prints for each row execute function busy()`.execute(db)
        },
        end: (db: Db) => sql`drop function busy() cascade`.execute(db),
      }

test('what breaks after the command was sent is not told as if it had not worked', async () => {
  const { id, print_id } = await proposed({ action: 'cancel' })
  const { db } = world.server.database
  // The user's word about an alert is written after the command.
  const alerted = { alerted_at: world.server.clock.now() }
  await db.updateTable('prints').set(alerted).where('id', '=', Number(print_id)).execute()
  await refuseChanges.begin(db)
  try {
    expect(await confirm(id)).toMatchObject({
      status: 200,
      json: { state: 'failed', error: expect.stringMatching(/not known whether this was done.*Look at the printer/) },
    })
  } finally {
    await refuseChanges.end(db)
  }
  expect(await printer.commands()).toEqual(['cancel'])
  expect((await confirm(id)).status).toBe(409)
})

test('of two prints that are confirmed for one printer at the same time, one begins', async () => {
  await printer.tell('Operational', -1, { event: 'PrintDone' })
  const ids: number[] = []
  for (const name of ['a.gcode', 'b.gcode', 'c.gcode']) {
    const file = await upload(world.server, name, `; ${name}\nG28\n`, { token: user.token })
    ids.push((await proposed({ action: 'print', g_code_file_id: file.id })).id)
  }
  const [first = 0, second = 0, third = 0] = ids
  const answers = await Promise.all([confirm(first), confirm(second)])
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  const detail = 'The printer was told to print a file just now, and has not begun yet.'
  expect(answers.find(({ status }) => status === 409)?.json).toMatchObject({ code: 'conflict', detail })
  expect(await printer.commands()).toEqual(['print'])
  // Also later, while the printer shows nothing of it yet.
  expect(await confirm(third)).toMatchObject({ status: 409, json: { detail } })
  expect(await stateOf(third)).toMatchObject({ state: 'failed', error: detail })
  expect(await printer.commands()).toEqual(['print'])
})

describe('what would come to nothing is not proposed, and the model is told why', () => {
  test.each([
    { name: 'resuming what runs', args: { action: 'resume' }, error: 'The print is not paused.' },
    { name: 'printing while it prints', args: { action: 'print' }, error: 'The printer is busy.', withFile: true },
    { name: 'a file that is not named', args: { action: 'print' }, error: 'Which file? Name its g_code_file_id.' },
    {
      name: 'a file that is not there',
      args: { action: 'print', g_code_file_id: 999_999 },
      error: 'There is no such file.',
    },
    {
      name: 'a printer that is not there',
      args: { action: 'pause', printer_id: 999_999 },
      error: 'There is no such printer.',
    },
  ])('$name', async ({ args, error, withFile = false }) => {
    const file = withFile ? await upload(world.server, 'x.gcode', 'G28\n', { token: user.token }) : undefined
    expect(await propose({ ...args, ...(file === undefined ? {} : { g_code_file_id: file.id }) })).toBeUndefined()
    expect(world.fake.asked.at(-1)?.messages.at(-1)?.content).toContain(error)
    expect(await world.proposals(user.token)).toEqual([])
  })

  test('on a printer that prints nothing, or whose agent is gone', async () => {
    await printer.tell('Operational', -1, { event: 'PrintDone' })
    expect(await propose({ action: 'pause' })).toBeUndefined()
    expect(world.fake.asked.at(-1)?.messages.at(-1)?.content).toContain('Nothing is printed there now.')
    await printer.tell('Offline')
    expect(await propose({ action: 'pause' })).toBeUndefined()
    expect(world.fake.asked.at(-1)?.messages.at(-1)?.content).toContain('The printer is offline.')
  })
})

test('what waits already is not proposed a second time', async () => {
  const first = await proposed()
  expect((await proposed()).id).toBe(first.id)
  expect(await world.proposals(user.token)).toHaveLength(1)
  // Once it is decided it may be proposed again.
  await world.decide({ cookie }, first.id, 'dismiss')
  expect((await proposed()).id).not.toBe(first.id)
})

test('what is asked for again waits anew, with the newer reason', async () => {
  const first = await proposed()
  world.server.clock.advance(14 * 60_000 + 55_000)
  await printer.tell('Printing', TS)
  const again = await proposed({ action: 'pause', reason: 'A corner lifts.' })
  expect(again).toMatchObject({ id: first.id, state: 'waiting', reason: 'A corner lifts.' })
  expect(Date.parse(again.expires_at)).toBeGreaterThanOrEqual(Date.parse(first.expires_at) + 14 * 60_000)
  expect(await stateOf(first.id)).toEqual(again)
  world.server.clock.advance(5_000)
  await printer.tell('Printing', TS)
  expect(await confirm(first.id)).toMatchObject({ status: 200, json: { state: 'done' } })
})

test('three things are proposed in one answer, and no more', async () => {
  const printers = [printer]
  for (const name of ['Right', 'Top', 'Back']) printers.push(await world.addPrinter(user, name))
  for (const one of printers.slice(1)) await one.tell('Printing', TS, { event: 'PrintStarted' })
  const wishes = printers.map(({ id }) => ({ action: 'pause', printer_id: id, reason: '' }))
  world.fake.script.push({ calls: wishes.map((args) => ({ name: 'propose_action', arguments: args })) })
  const { proposals } = await world.ask(user.token)
  expect(proposals?.map(({ printer_name }) => printer_name)).toEqual(['Left', 'Right', 'Top'])
  expect(world.fake.asked.at(-1)?.messages.at(-1)?.content).toContain('There are enough proposals')
})

test('an answer that fails leaves no proposal behind', async () => {
  world.fake.script.push(calls('propose_action', { action: 'pause', printer_id: printer.id, reason: '' }), {
    status: 400,
  })
  await expect(world.ask(user.token)).rejects.toThrow('503')
  expect(await world.proposals(user.token)).toEqual([])
})

test('proposals come in pages, and are seen by nobody else', async () => {
  await proposed({ action: 'pause' })
  await proposed({ action: 'cancel' })
  const { headers, json } = await world.server.call('GET', '/api/v1/assistant/proposals/?limit=1', {
    token: user.token,
  })
  expect(headers.get('x-total-count')).toBe('2')
  expect(headers.get('link')).toContain('start=1')
  expect(json).toMatchObject([{ action: 'cancel' }])
  expect(await world.proposals(world.server.other.token)).toEqual([])
})

describe('what is deleted', () => {
  test('a printer takes its proposals along', async () => {
    const { id } = await proposed()
    await world.server.call('DELETE', `/api/v1/printers/${printer.id}/`, { token: user.token })
    expect(await world.proposals(user.token)).toEqual([])
    expect((await confirm(id)).status).toBe(404)
  })

  test('a file makes its proposal fail', async () => {
    await printer.tell('Operational', -1, { event: 'PrintDone' })
    const file = await upload(world.server, 'gone.gcode', 'G28\n', { token: user.token })
    const { id } = await proposed({ action: 'print', g_code_file_id: file.id })
    await world.server.call('DELETE', `/api/v1/g_code_files/${file.id}/`, { token: user.token })
    expect((await confirm(id)).json).toMatchObject({
      state: 'failed',
      error: 'The file was deleted.',
      filename: 'gone.gcode',
    })
    expect(await printer.commands()).toEqual([])
  })

  test('an account takes its proposals along', async () => {
    await proposed()
    await world.server.database.db.deleteFrom('users').where('id', '=', user.id).execute()
    const left = world.server.database.db.selectFrom('assistant_proposals').select('id').where('user_id', '=', user.id)
    expect(await left.execute()).toEqual([])
  })
})
