import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Tables } from '../tables.js'
import type { Heaters, KeptReading, TemperatureReading } from './temperatures.js'

/** No print has more of them, unless its agent means harm. */
const MAX_READINGS = 20_000

const StoredHeaters = z.record(z.string(), z.tuple([z.number(), z.number().nullable()]))

export async function insertTemperatures(db: Kysely<Tables>, rows: readonly KeptReading[]): Promise<void> {
  if (rows.length === 0) return
  const values = rows.map(({ print_id, at, heaters }) => ({ print_id, at, heaters: JSON.stringify(heaters) }))
  const query = db.insertInto('print_temperatures').values(values)
  await query.onConflict((conflict) => conflict.columns(['print_id', 'at']).doNothing()).execute()
}

/** The temperatures that were kept of a print, in order of time; of very many the last ones. */
export async function listTemperatures(
  db: Kysely<Tables>,
  printId: number,
  most = MAX_READINGS,
): Promise<TemperatureReading[]> {
  const query = db.selectFrom('print_temperatures').select(['at', 'heaters']).where('print_id', '=', printId)
  const rows = await query.orderBy('at', 'desc').limit(most).execute()
  return rows.toReversed().map(({ at, heaters }) => ({ at, heaters: storedHeaters(heaters) }))
}

const storedHeaters = (text: string): Heaters => StoredHeaters.parse(JSON.parse(text))
