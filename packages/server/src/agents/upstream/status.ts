import type { DeviationKind } from './deviations.js'
import { dropNulls, type Fields, isFields } from './plain.js'
import { readState } from './state.js'

const KNOWN_HEATERS = /^(?:tool\d+|bed|chamber)$/

/** The state has its own reading; in the other two the contract has null as well. */
const MAY_HAVE_NULL = new Set(['state', 'progress', 'temperatures', 'job'])

/** What the status is read with. */
export interface StatusFacts {
  /** When it arrived, in Unix seconds. */
  readonly at: number
  /** The stored file that the message names outside of its status, as old agents do. */
  readonly fileId: unknown
  readonly note: (kind: DeviationKind) => void
}

/**
 * The status of an upstream agent as the contract has it, in place: renamed, without nulls, and with what it leaves out. What is of a wrong
 * type is left to the schema.
 */
export function readStatus(status: Fields, { at, fileId, note }: StatusFacts): Fields {
  readMetadata(status['file_metadata'])
  if (dropNulls(status, MAY_HAVE_NULL)) note('null_value')
  if (typeof status['_ts'] !== 'number' || !Number.isFinite(status['_ts'])) {
    note('ts_left_out')
    status['_ts'] = at
  }
  status['state'] = readState(status['state'], note)
  status['job'] = readJob(status['job'], fileId, note)
  if (status['progress'] === null) status['progress'] = undefined
  readTemperatures(status, note)
  return status
}

/** A job whose file has no name is what hosts report when nothing is loaded. */
function readJob(job: unknown, fileId: unknown, note: (kind: DeviationKind) => void): Fields | undefined {
  if (job === undefined || job === null) return undefined
  const file = isFields(job) ? job['file'] : undefined
  if (!isFields(job) || !isFields(file)) {
    note('wrong_type')
    return undefined
  }
  const { name, path, display, obico_g_code_file_id } = file
  if (typeof name !== 'string' || name === '') {
    note('file_unnamed')
    return undefined
  }
  dropNulls(job)
  if (typeof path !== 'string') file['path'] = name
  if (typeof display !== 'string') file['display'] = name
  const id = storedFileId(obico_g_code_file_id) ?? storedFileId(fileId)
  if (id !== undefined) file['service_g_code_file_id'] = id
  if (obico_g_code_file_id !== undefined) file['obico_g_code_file_id'] = undefined
  return job
}

function storedFileId(value: unknown): number | undefined {
  const id = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : undefined
}

function readTemperatures(status: Fields, note: (kind: DeviationKind) => void): void {
  const { temperatures } = status
  if (temperatures === undefined) return
  if (!isFields(temperatures)) {
    status['temperatures'] = undefined
    return
  }
  for (const name in temperatures) {
    if (KNOWN_HEATERS.test(name)) continue
    note('heater_names')
    break
  }
}

/** Before nulls are looked for: the agents' own section has them for what is not known. */
function readMetadata(metadata: unknown): void {
  if (!isFields(metadata) || metadata['obico'] === undefined) return
  const { obico } = metadata
  metadata['obico'] = undefined
  if (!isFields(obico)) return
  dropNulls(obico)
  metadata['service'] = obico
}
