import { setTimeout as wait } from 'node:timers/promises'
import type { Database, LiveStore } from '../ports.js'
import { findCurrentPrint, type PrintRecord } from '../prints/store.js'
import { liveFactsOf, liveKeysOf } from './live-view.js'

const LOOK_MS = 100
/** A record follows the status that shows its print within moments; a host may show one a little before it names it. */
const RECORD_TIMEOUT_MS = 2000

/** The current print, waited for where the printer shows that it prints and the record of it is still being written. */
export async function findStartingPrint(
  { database: { db }, live }: { readonly database: Pick<Database, 'db'>; readonly live: Pick<LiveStore, 'getMany'> },
  printerId: number,
): Promise<PrintRecord | undefined> {
  for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
    const print = await findCurrentPrint(db, printerId)
    if (print !== undefined || waitedMs >= RECORD_TIMEOUT_MS || !(await showsPrint(live, printerId))) return print
    await wait(LOOK_MS)
  }
}

async function showsPrint(live: Pick<LiveStore, 'getMany'>, printerId: number): Promise<boolean> {
  const facts = liveFactsOf([printerId], await live.getMany(liveKeysOf([printerId])))
  const flags = facts.get(printerId)?.status?.state.flags
  return flags !== undefined && (flags.printing || flags.paused)
}
