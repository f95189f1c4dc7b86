import type { ImportOutcome, ImportRecord } from '@printwarden/protocol'
import type { Bus, Clock, Database, Secrets } from '../ports.js'
import { importFile, importFolder } from './file-flow.js'
import type { Outcome } from './outcome.js'
import { importPrinter } from './printer-flow.js'
import { importPrint } from './print-flow.js'
import { importNotificationSetting, importPreferences } from './settings-flow.js'
import type { Turn } from './turn.js'

export interface ImportFlowDeps {
  readonly database: Database
  readonly bus: Bus
  readonly clock: Clock
  readonly secrets: Pick<Secrets, 'newToken' | 'encrypt' | 'decrypt' | 'keyedHash'>
}

/** Whose account takes things, and from where. */
export interface Importing {
  readonly userId: number
  readonly source: string
  readonly isDryRun: boolean
}

/** Takes back what a dry run did. */
class TakeBack extends Error {}

/** Records of another server: each in a transaction of its own, with the note by which it is known again. */
export function importFlow({ database, bus, clock, secrets }: ImportFlowDeps) {
  function apply(turn: Turn, record: ImportRecord): Promise<Outcome> {
    switch (record.kind) {
      case 'printer':
        return importPrinter(turn, bus, record)
      case 'print':
        return importPrint(turn, record)
      case 'folder':
        return importFolder(turn, record)
      case 'file':
        return importFile(turn, record)
      case 'notification_setting':
        return importNotificationSetting(turn, record)
      case 'preferences':
        return importPreferences(turn, record)
    }
  }

  async function take(importing: Importing, record: ImportRecord): Promise<ImportOutcome> {
    const afterwards: (() => void)[] = []
    let outcome: Outcome | undefined
    try {
      await database.transaction(async (trx) => {
        // The work may run again after a conflict.
        afterwards.length = 0
        outcome = await apply({ ...importing, trx, now: clock.now(), secrets, afterwards }, record)
        if (importing.isDryRun) throw new TakeBack()
      })
    } catch (error) {
      if (!(error instanceof TakeBack)) throw error
    }
    if (outcome === undefined) throw new Error('a record was taken over without an outcome')
    if (!importing.isDryRun) for (const work of afterwards) work()
    const id = importing.isDryRun && outcome.outcome === 'created' ? null : outcome.id
    return { kind: record.kind, source_id: record.source_id, ...outcome, id }
  }

  return {
    /** One after another: a later record may build on an earlier one. */
    async takeAll(importing: Importing, records: readonly ImportRecord[]): Promise<ImportOutcome[]> {
      const outcomes: ImportOutcome[] = []
      for (const record of records) outcomes.push(await take(importing, record))
      return outcomes
    },
  }
}
