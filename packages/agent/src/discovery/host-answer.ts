import { plainText } from '../log/plain-text.js'

/** A program that prints, found at an address. */
export interface FoundHost {
  readonly host: 'octoprint' | 'moonraker'
  readonly url: string
  /** What a user sees: `OctoPrint 1.11.8 at http://127.0.0.1:5000`. */
  readonly text: string
  /** Whether it asks for a key before it tells anything. */
  readonly needsKey: boolean
}

/** What an address answered to one question. */
export interface WebAnswer {
  readonly status: number
  readonly data: unknown
}

/** Moonraker's answer to `GET /server/info`; undefined when this is no Moonraker. */
export function moonrakerOf(url: string, { status, data }: WebAnswer): FoundHost | undefined {
  if (status === 200 && hasObject(data, 'result') && 'klippy_state' in data.result) {
    const version =
      'moonraker_version' in data.result ? ` ${plainText(String(data.result['moonraker_version'])).slice(0, 40)}` : ''
    return { host: 'moonraker', url, text: `Moonraker${version} at ${url}`, needsKey: false }
  }
  if (status === 401 && hasObject(data, 'error') && 'code' in data.error) {
    return { host: 'moonraker', url, text: `Moonraker at ${url}, with a key`, needsKey: true }
  }
  return undefined
}

/** OctoPrint's answers to `GET /plugin/appkeys/probe` and `GET /api/version`; undefined when this is no OctoPrint. */
export function octoPrintOf(url: string, probe: WebAnswer, version: WebAnswer): FoundHost | undefined {
  const named =
    isObject(version.data) && 'text' in version.data ? plainText(String(version.data['text'])).slice(0, 60) : ''
  if (probe.status !== 204 && !named.startsWith('OctoPrint ')) return undefined
  // Others speak OctoPrint's language to slicers; they say so in the same place.
  if (/\(/.test(named)) return undefined
  return { host: 'octoprint', url, text: `${named === '' ? 'OctoPrint' : named} at ${url}`, needsKey: true }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function hasObject<Key extends string>(value: unknown, key: Key): value is Record<Key, Record<string, unknown>> {
  return isObject(value) && isObject(value[key])
}

/**
 * The same place by the loopback address, when it is on this machine: hosts trust that one more, and it stays the same when the
 * network gives out others.
 */
export function withLoopback(url: string, ownAddresses: readonly string[]): string {
  const place = new URL(url)
  if (!ownAddresses.includes(place.hostname)) return url
  place.hostname = '127.0.0.1'
  return place.href.replace(/\/+$/, '')
}
