import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../time/clock.js'
import { readJsonFile, writeJsonFile } from '../disk/json-file.js'
import type { Log } from '../log/log.js'
import { nowOf } from '../time/stored-time.js'
import { NEW_RECORD, restoreRecord, storeRecord, type TrackerRecord } from './tracker-record.js'

/** One printer's record on disk: its running print, its unsent events and what its host keeps. */
export interface TrackerFile {
  /** What the disk held when the file was opened. */
  readonly initial: TrackerRecord
  /** Resolves once the record, or a newer one, is on the disk. A disk that cannot be written is logged, not thrown. */
  save(record: TrackerRecord): Promise<void>
}

/** Opens the record of `printer` in `folder`. A damaged file is set aside under another name, and work goes on without it. */
export async function openTrackerFile(folder: string, printer: string, clock: Clock, log: Log): Promise<TrackerFile> {
  const path = join(folder, `${encodeURIComponent(printer)}.json`)
  const initial = await load(path, clock, log)
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((err: unknown) =>
    log.error({ err, folder }, 'the state folder cannot be made: a restart will forget the running print'),
  )

  // One write at a time; of those that wait, only the newest is written.
  let newest: TrackerRecord | undefined
  let writing: Promise<void> | undefined
  let failing = false

  async function writeAll(): Promise<void> {
    while (newest) {
      const record = newest
      newest = undefined
      try {
        await writeJsonFile(path, storeRecord(record, nowOf(clock)))
        failing = false
      } catch (err) {
        if (!failing) log.error({ err, path }, 'the state cannot be written: a restart will forget the running print')
        failing = true
      }
    }
    writing = undefined
  }

  return {
    initial,
    save: (record) => {
      newest = record
      writing ??= writeAll()
      return writing
    },
  }
}

async function load(path: string, clock: Clock, log: Log): Promise<TrackerRecord> {
  try {
    const value = await readJsonFile(path)
    return value === undefined ? NEW_RECORD : restoreRecord(value, nowOf(clock))
  } catch (err) {
    const aside = `${path}.damaged-${clock.wallMs()}`
    const isAside = await rename(path, aside).then(
      () => true,
      () => false,
    )
    if (isAside) log.warn({ err, path, aside }, 'the state file is damaged and was set aside')
    else log.warn({ err, path }, 'the state file cannot be read: the agent goes on without')
    return NEW_RECORD
  }
}
