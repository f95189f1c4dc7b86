import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { userFolder } from '../config/config.js'
import { findHosts, hostAt } from '../discovery/find-flow.js'
import type { FoundHost } from '../discovery/host-answer.js'
import { requestKey } from './link-key.js'
import { LinkError } from '../link/link-error.js'
import type { Terminal } from './terminal.js'

/** What the command line says about the host. */
export interface HostOptions {
  readonly host?: string
  readonly url?: string
  readonly apiKeyFile?: string
  readonly device?: string
  readonly baud?: string
}

/** The host as the keys of its section. */
export interface ChosenHost {
  readonly keys: Readonly<Record<string, string>>
  /** Where it is: what tells two printers apart. */
  readonly place: string | undefined
  /** The key, wherever it is kept; for asking the host now. */
  readonly apiKey: string | undefined
}

/**
 * The host of the printer: what the command line says, or what is found here and in the network and agreed to.
 *
 * @throws {LinkError}
 */
export async function chooseHost(terminal: Terminal, options: HostOptions): Promise<ChosenHost> {
  const { host, device, baud } = options
  if (host === 'serial') {
    if (device === undefined) throw new LinkError('no_host', 'a serial printer needs --device, such as /dev/ttyUSB0')
    return { keys: { host, device, ...(baud === undefined ? {} : { baud }) }, place: device, apiKey: undefined }
  }
  if (host === 'virtual' || host === 'camera') return { keys: { host }, place: undefined, apiKey: undefined }
  const found = await whichHost(terminal, options)
  const { keys, apiKey } = await keyOf(terminal, found, options)
  return { keys: { host: found.host, url: found.url, ...keys }, place: found.url, apiKey }
}

async function whichHost(terminal: Terminal, { host, url }: HostOptions): Promise<FoundHost> {
  if (url !== undefined) return hostNamed(url, host, terminal.signal)
  terminal.status('Looking for OctoPrint and Moonraker, here and in your network …')
  const all = await findHosts(terminal.signal)
  const found = all.filter((one) => host === undefined || one.host === host)
  const [first] = found
  if (first !== undefined && (found.length === 1 || !terminal.isInteractive)) {
    const isHere = new URL(first.url).hostname === '127.0.0.1'
    // Somebody else's printer in the network is not taken without being asked for.
    if (isHere || (terminal.isInteractive && (await terminal.confirm(`Found ${first.text}. Use it?`, true)))) {
      if (isHere) terminal.say(`${terminal.style.good('✓')} ${first.text}`)
      return first
    }
  } else if (found.length > 1) {
    terminal.say('These printer hosts were found:')
    const number = await terminal.choose(
      'Which one?',
      found.map(({ text }) => text),
    )
    const chosen = found[number]
    if (chosen !== undefined) return chosen
  }
  if (!terminal.isInteractive) throw new LinkError('no_host', 'no OctoPrint and no Moonraker was found on this machine')
  const typed = await terminal.ask('No printer host was found. Its address:', 'http://127.0.0.1:5000')
  return hostNamed(typed, host, terminal.signal)
}

async function hostNamed(typed: string, host: string | undefined, signal: AbortSignal): Promise<FoundHost> {
  const text = /^https?:\/\//i.test(typed) ? typed : `http://${typed}`
  if (!URL.canParse(text)) throw new LinkError('no_host', `"${typed}" is no address`)
  const url = text.replace(/\/+$/, '')
  const found = await hostAt(url, signal)
  if (found === undefined) throw new LinkError('no_host', `neither OctoPrint nor Moonraker answers at ${url}`)
  if (host !== undefined && found.host !== host)
    throw new LinkError('no_host', `at ${url} is ${found.host}, not ${host}`)
  return found
}

interface HostKey {
  readonly keys: Readonly<Record<string, string>>
  readonly apiKey: string | undefined
}

async function keyOf(terminal: Terminal, found: FoundHost, { apiKeyFile }: HostOptions): Promise<HostKey> {
  if (apiKeyFile !== undefined) {
    const path = resolve(userFolder(), apiKeyFile)
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      throw new LinkError('no_host', `${path} cannot be read`, { cause: error })
    })
    return { keys: { api_key_file: path }, apiKey: text.trim() }
  }
  if (!found.needsKey) return { keys: {}, apiKey: undefined }
  const apiKey =
    found.host === 'octoprint'
      ? await requestKey(terminal, found.url)
      : await terminal.ask('Its API key (Mainsail or Fluidd: Settings → show the API key):')
  if (apiKey === '') throw new LinkError('no_host', `${found.text} needs a key: give --api-key-file FILE`)
  return { keys: { api_key: apiKey }, apiKey }
}
