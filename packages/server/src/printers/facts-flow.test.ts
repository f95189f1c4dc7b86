import { afterAll, beforeAll, expect, test } from 'vitest'
import { factsFlow } from './facts-flow.js'
import { gaugeKey, picKey, statusKey } from './live-keys.js'
import { NOW, sampleStatus } from './sample.js'
import { countStatements, openTestWorld, type TestWorld } from './testing.js'

let world: TestWorld

beforeAll(async () => {
  world = await openTestWorld()
})

afterAll(async () => {
  await world.close()
})

const deps = {
  secrets: { decrypt: (text: string) => text.replace('sealed', 'open') },
  detection: { ready: () => true },
}

test('a list of printers takes as many reads as one printer, however long it is', async () => {
  const user = await world.addUser()
  for (let index = 0; index < 20; index += 1) await world.addCurrentPrint(await world.addPrinter(user))
  const { database, count } = countStatements(world.database)
  let reads = 0
  const getMany = (keys: readonly string[]) => {
    reads += 1
    return world.live.getMany(keys)
  }
  const facts = factsFlow({ ...deps, database, live: { ...world.live, getMany } })
  const all = await facts.ofUser(user, { withArchived: false })
  expect(all).toHaveLength(20)
  expect(all.every(({ printer, print }) => print?.printer_id === printer.id)).toBe(true)
  expect({ ...count, reads }).toEqual({ statements: 1, writes: 0, reads: 1 })
})

test('live values belong to their printer, and what is not ours to read counts as lost', async () => {
  const user = await world.addUser()
  const [left, right] = [await world.addPrinter(user), await world.addPrinter(user)]
  const options = { ts: NOW, ttlMs: 1e6 }
  await world.live.put(statusKey(right.id), sampleStatus('Paused'), options)
  await world.live.put(picKey(right.id), { key: 'a', raw_key: 'b', ts: 5 }, options)
  await world.live.put(gaugeKey(right.id), { normalized_p: 0.4, ewm_mean: 1 }, options)
  await world.live.put(statusKey(left.id), { garbage: true }, options)
  const facts = factsFlow({ ...world, ...deps })
  expect(await facts.ofUser(user, { withArchived: true })).toMatchObject([
    { printer: { id: left.id }, print: null, live: { status: null, pic: null, normalized_p: 0 } },
    {
      printer: { id: right.id },
      authToken: right.auth_token_encrypted.replace('sealed', 'open'),
      live: { status: { state: { text: 'Paused' } }, pic: { key: 'a', raw_key: 'b', ts: 5 }, normalized_p: 0.4 },
    },
  ])
})

test('archived printers are listed when asked for', async () => {
  const user = await world.addUser()
  const printer = await world.addPrinter(user)
  await world.db.updateTable('printers').set({ archived_at: NOW }).where('id', '=', printer.id).execute()
  const facts = factsFlow({ ...world, ...deps })
  expect(await facts.ofUser(user, { withArchived: false })).toEqual([])
  expect(await facts.ofUser(user, { withArchived: true })).toHaveLength(1)
})
