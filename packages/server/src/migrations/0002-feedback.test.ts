import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openEmbeddedDatabase } from '../adapters/database-embedded.js'
import { openTestWorld, type TestWorld } from '../printers/testing.js'
import type { PrinterRow } from '../printers/store.js'
import * as start from './0001-start.js'
import * as feedback from './0002-feedback.js'
import { sqliteTypes } from './types.js'

let world: TestWorld
let printer: PrinterRow

beforeAll(async () => {
  world = await openTestWorld()
  printer = await world.addPrinter(await world.addUser())
})

afterAll(async () => {
  await world.close()
})

const counts = async () =>
  world.db
    .selectFrom('print_counts')
    .select(['total', 'cancelled', 'finished', 'failed', 'need_alert_overwrite'])
    .where('printer_id', '=', printer.id)
    .executeTakeFirst()

test('the counts follow prints that are added, changed and deleted', async () => {
  expect(await counts()).toBeUndefined()
  const none = { cancelled: 0, finished: 0, failed: 0 }
  const print = await world.addPrint(printer)
  expect(await counts()).toEqual({ ...none, total: 1, need_alert_overwrite: 1 })
  const failed = { state: 'failed', cancelled_at: 5, failed_at: 5, alert_overwrite: 'FAILED' }
  await world.db.updateTable('prints').set(failed).where('id', '=', print.id).execute()
  await world.addPrint(printer, { state: 'finished', finished_at: 5 })
  expect(await counts()).toEqual({ total: 2, cancelled: 1, finished: 1, failed: 1, need_alert_overwrite: 1 })
  await world.db.updateTable('prints').set({ filename: 'x' }).execute()
  await world.db.deleteFrom('prints').where('id', '=', print.id).execute()
  expect(await counts()).toEqual({ ...none, total: 1, finished: 1, need_alert_overwrite: 1 })
  await world.db.deleteFrom('printers').where('id', '=', printer.id).execute()
  expect(await counts()).toBeUndefined()
})

test('prints that were there before are counted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'printwarden-'))
  const database = await openEmbeddedDatabase(join(folder, 'test.db'))
  const { db } = database
  // A migration knows no tables: those of its own time are not those of today.
  const bare = db as unknown as Kysely<unknown>
  await start.up(bare, sqliteTypes)
  await db.insertInto('users').values({ email: 'a', password_hash: 'x', date_joined: 0, unsub_token: 'x' }).execute()
  for (const name of ['Left', 'Right']) {
    const row = { user_id: 1, name, created_at: 0, auth_token_encrypted: name, auth_token_hash: name }
    await db.insertInto('printers').values(row).execute()
  }
  const print = { user_id: 1, state: 'finished', filename: 'x', started_at: 0 }
  await db
    .insertInto('prints')
    .values([
      { ...print, printer_id: 1, current_print_ts: 1, finished_at: 5 },
      { ...print, printer_id: 1, current_print_ts: 2, cancelled_at: 5, failed_at: 5, alert_overwrite: 'FAILED' },
      { ...print, printer_id: 2, current_print_ts: 3, cancelled_at: 5 },
    ])
    .execute()
  await feedback.up(bare, sqliteTypes)
  expect(await db.selectFrom('print_counts').selectAll().orderBy('printer_id').execute()).toEqual([
    { printer_id: 1, user_id: 1, total: 2, cancelled: 1, finished: 1, failed: 1, need_alert_overwrite: 1 },
    { printer_id: 2, user_id: 1, total: 1, cancelled: 1, finished: 0, failed: 0, need_alert_overwrite: 1 },
  ])
  await database.close()
  await rm(folder, { recursive: true })
})
