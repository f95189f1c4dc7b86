import { hostname } from 'node:os'
import { loadConfig, ConfigError } from '../config/config.js'
import { findCamera } from '../discovery/camera-flow.js'
import type { CameraKeys } from '../discovery/camera-answer.js'
import { ownAddresses } from '../discovery/find-flow.js'
import { EXIT } from './exit-codes.js'
import { checkWritable, writeConfigText } from '../link/config-file-client.js'
import { ownerOfToken } from '../link/link-client.js'
import { LinkError, mendOf } from '../link/link-error.js'
import { linkByCode, type Linked } from '../link/link-flow.js'
import { sectionFor, type KnownPrinter } from '../link/printer-section.js'
import { chooseHost, type ChosenHost, type HostOptions } from './link-host.js'
import { configPath, knownPrinters, readOldConfig, withPrinter, type OldConfig } from './link-config.js'
import { chooseServer } from './link-server.js'
import { showCode, showWaiting } from './link-show.js'
import { plainText } from '../log/plain-text.js'
import { Interrupted, openTerminal, type Terminal } from './terminal.js'
import { agentVersion } from './version.js'

export interface LinkOptions extends HostOptions {
  readonly server?: string
  readonly config?: string
  /** The section to write; a new printer is named by the server otherwise. */
  readonly printer?: string
  /** What the new printer is called at first. */
  readonly name?: string
  /** The address of a camera, or `none`. */
  readonly camera?: string
  readonly yes?: boolean
}

const EXIT_INTERRUPTED = 130

/** `printwarden-agent link`: makes this machine the agent of a printer. Answers the exit code. */
export async function link(options: LinkOptions): Promise<number> {
  const terminal = openTerminal({ assumeYes: options.yes === true })
  try {
    await linkPrinter(terminal, options)
    return EXIT.stopped
  } catch (error) {
    if (error instanceof Interrupted || terminal.signal.aborted) {
      terminal.say('Stopped. Nothing was changed.')
      return EXIT_INTERRUPTED
    }
    if (!(error instanceof LinkError)) throw error
    terminal.say(`${terminal.style.bad('✗')} ${plainText(error.message)}`)
    const mend = mendOf(error.code)
    if (mend !== undefined) terminal.say(`  → ${mend}`)
    return error.code === 'bad_config' ? EXIT.badConfig : EXIT.failed
  } finally {
    terminal.close()
  }
}

async function linkPrinter(terminal: Terminal, options: LinkOptions): Promise<void> {
  const { style, signal } = terminal
  checkName(options.printer)
  const path = configPath(options.config)
  const old = await readOldConfig(path)
  checkWritable(path)

  const server = await chooseServer(terminal, { given: options.server, configured: old.serverUrl })
  terminal.say(`${style.good('✓')} Printwarden at ${server}`)
  const host = await chooseHost(terminal, options)
  const known = await knownPrinters(old, server, signal)
  const before = known.find(({ name, place }) =>
    options.printer === undefined ? place !== undefined && place === host.place : name === options.printer,
  )
  checkOthers(old, server, known, before)
  if (
    before?.id !== undefined &&
    !(await terminal.confirm(`[printer ${before.name}] is linked. Link it anew?`, false))
  ) {
    return terminal.say('Left as it is.')
  }
  const camera = before === undefined ? await chooseCamera(terminal, host, options.camera) : undefined

  const linked = await waitForUser(terminal, { server, name: options.name, printerId: before?.id })
  const name = (await ownerOfToken(server, linked.authToken, signal).catch(() => undefined))?.name
  const label = plainText(name ?? options.name ?? hostname())
  const section = sectionFor({ id: linked.printerId, name: label, place: host.place }, known, options.printer)
  const { authToken } = linked
  writeConfigText(path, withPrinter(old, { server, section, authToken, host: host.keys, camera }))
  terminal.say(`${style.good('✓')} Linked to “${label}”. Written to ${path}`)
  await tellNext(terminal, path)
}

/** A section's head is read as words, so that a name of several would be another's. */
function checkName(name: string | undefined): void {
  if (name === undefined || /^[^\s[\]#;]{1,64}$/.test(name)) return
  throw new LinkError('bad_config', `"${name}" cannot be the name of a section: take one word, such as mk3`)
}

/** The configuration has one server: printers of another one would be cut off. */
function checkOthers(
  { path, serverUrl }: OldConfig,
  server: string,
  known: readonly KnownPrinter[],
  own: KnownPrinter | undefined,
): void {
  const lost = known.filter((one) => one !== own && one.id === undefined)
  if (serverUrl === undefined || serverUrl === server || lost.length === 0) return
  const names = lost.map(({ name }) => name).join(', ')
  throw new LinkError(
    'bad_config',
    `${path} serves ${names} of ${serverUrl}: link them there, or name another file with --config`,
  )
}

async function chooseCamera(
  terminal: Terminal,
  { keys, apiKey }: ChosenHost,
  given: string | undefined,
): Promise<CameraKeys | undefined> {
  if (given === 'none') return undefined
  if (given === 'generated') return { pictures: given }
  if (given !== undefined) return { [keyOfCamera(given)]: given }
  const { host, url } = keys
  if (host === undefined || url === undefined) return undefined
  terminal.status('Looking for a camera …')
  const camera = await findCamera({ host, url, apiKey }, terminal.signal)
  terminal.say(
    camera === undefined
      ? `${terminal.style.warn('!')} No camera was found; it can be added to the configuration later`
      : `${terminal.style.good('✓')} ${camera['webcam'] === undefined ? `Camera at ${camera['snapshot_url'] ?? ''}` : 'Camera: the first webcam of Moonraker'}`,
  )
  return camera
}

/** Which key of a camera's section an address belongs to. */
function keyOfCamera(address: string): string {
  if (/^rtsps?:/i.test(address)) return 'stream_url'
  return address.startsWith('/dev/') ? 'device' : 'snapshot_url'
}

/** Shows codes until one was entered, or nobody is there to want another. */
async function waitForUser(
  terminal: Terminal,
  { server, name, printerId }: { server: string; name: string | undefined; printerId: number | undefined },
): Promise<Linked> {
  const device = { device_name: name ?? hostname(), agent_version: agentVersion() }
  const ownAddress = ownAddresses()[0]
  for (;;) {
    try {
      return await linkByCode({
        server,
        device,
        signal: terminal.signal,
        display: {
          code: (code) => showCode(terminal, { server, code, printerId, ownAddress }),
          waiting: (leftMs, trouble) => showWaiting(terminal, leftMs, trouble),
        },
      })
    } catch (error) {
      if (!(error instanceof LinkError) || error.code !== 'expired' || !terminal.isInteractive) throw error
      terminal.say('The code is too old now.')
      if (!(await terminal.confirm('Another one?', true))) throw error
    }
  }
}

/** Reads the written configuration as `run` will, so that what is missing is told now. */
async function tellNext(terminal: Terminal, path: string): Promise<void> {
  try {
    await loadConfig(path)
    terminal.say('  Start it:            printwarden-agent run')
    terminal.say('  Or at every start:   printwarden-agent install')
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    terminal.say(`${terminal.style.warn('!')} The rest of the configuration has problems:`)
    for (const problem of error.problems) terminal.say(`  ${problem}`)
  }
}
