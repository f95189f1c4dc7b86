import { deserialize } from 'bson'
import { isWithinDepth } from '@printwarden/protocol'
import { isFields } from './plain.js'

/** The smallest BSON document: its length and its end. */
const SMALLEST_DOCUMENT = 5

/**
 * The value of one frame of the upstream dialect: JSON in text frames, BSON in binary ones. undefined when it is none, or nested too
 * deeply. Its size was looked at before.
 */
export function decodeFrame(bytes: Buffer, isBinary: boolean): unknown {
  const value = isBinary ? fromBson(bytes) : fromJson(bytes)
  return value !== undefined && isWithinDepth(value) ? value : undefined
}

function fromJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

function fromBson(bytes: Buffer): unknown {
  // The document says how long it is: what claims another length is not looked at.
  if (bytes.byteLength < SMALLEST_DOCUMENT || bytes.readInt32LE(0) !== bytes.byteLength) return undefined
  try {
    const value = deserialize(bytes, { promoteBuffers: true })
    return isWithinDepth(value) ? plain(value) : undefined
  } catch {
    return undefined
  }
}

/** What JSON has too; dates, codes and the other types of BSON become null. */
function plain(value: unknown): unknown {
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (Array.isArray(value)) return value.map(plain)
  if (!isFields(value) || Object.getPrototypeOf(value) !== Object.prototype) return null
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, plain(field)]))
}
