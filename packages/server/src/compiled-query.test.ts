import { afterAll, beforeAll, expect, test } from 'vitest'
import { compiledQueries } from './compiled-query.js'
import { countStatements, openTestWorld, type TestWorld } from './printers/testing.js'
import { listPrinters, updatePrinter } from './printers/store.js'

let world: TestWorld

beforeAll(async () => {
  world = await openTestWorld()
})

afterAll(async () => {
  await world.close()
})

test('a query is built once and asked with other values each time', async () => {
  const printer = await world.addPrinter(await world.addUser())
  const another = await world.addPrinter(await world.addUser())
  const rowsOf = compiledQueries<{ id: number }>()
  let built = 0
  const find = (id: number, userId: number) =>
    rowsOf(world.db, '', [id, userId], ([first, second]) => {
      built += 1
      const query = world.db.selectFrom('printers').select('id').where('retract_on_pause', '>', -1)
      return query.where('user_id', '=', second).where('id', '=', first).where('id', 'in', [first])
    })
  const { id, user_id } = printer
  expect(await find(id, user_id)).toMatchObject([{ id }])
  expect(await find(id, another.user_id)).toEqual([])
  expect(await find(another.id, another.user_id)).toMatchObject([{ id: another.id }])
  expect(built).toBe(1)
})

test('each form and each database has a query of its own', async () => {
  const printer = await world.addPrinter(await world.addUser())
  await updatePrinter(world.db, printer.id, { archived_at: 5 })
  const other = await openTestWorld()
  try {
    const list = (db: TestWorld['db'], withArchived: boolean) => listPrinters(db, printer.user_id, { withArchived })
    expect(await list(world.db, false)).toEqual([])
    expect(await list(world.db, true)).toMatchObject([{ id: printer.id }])
    expect(await list(other.db, true)).toEqual([])
  } finally {
    await other.close()
  }
})

test('is asked within a transaction', async () => {
  const printer = await world.addPrinter(await world.addUser())
  const rows = await world.database.transaction(async (trx) => {
    await trx.updateTable('printers').set({ name: 'Within' }).where('id', '=', printer.id).execute()
    return listPrinters(trx, printer.user_id, { withArchived: false })
  })
  expect(rows).toMatchObject([{ name: 'Within' }])
})

test('counts as a statement each time', async () => {
  const { database, count } = countStatements(world.database)
  for (let round = 0; round < 3; round += 1) await listPrinters(database.quick, 1, { withArchived: false })
  expect(count).toEqual({ statements: 3, writes: 0 })
})
