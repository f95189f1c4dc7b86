import { findServers } from '../discovery/find-flow.js'
import { checkServer } from '../link/link-client.js'
import { LinkError } from '../link/link-error.js'
import { serverAddresses } from '../link/server-address.js'
import type { Terminal } from './terminal.js'

/**
 * The server to link to: the one that was named, the one of the configuration, or one that is found in the network and
 * agreed to; asked for otherwise.
 *
 * @throws {LinkError}
 */
export async function chooseServer(
  terminal: Terminal,
  { given, configured }: { given: string | undefined; configured: string | undefined },
): Promise<string> {
  const named = given ?? configured
  if (named !== undefined) return serverAt(named, terminal.signal)

  terminal.status('Looking for a server in your network …')
  const found = await findServers(terminal.signal)
  if (!terminal.isInteractive) {
    // Nobody agreed to it, and a stranger in the network can call itself a server: a script must name it.
    const seen = found.length === 0 ? '' : ` (found: ${found.join(', ')})`
    throw new LinkError('no_server', `no server was named${seen}`)
  }
  const answer = await terminal.ask('The address of your server:', found[0] ?? '')
  for (const other of found.slice(1)) terminal.say(`  also found: ${other}`)
  return serverAt(answer, terminal.signal)
}

/** The first of the meant addresses that answers as a server. */
async function serverAt(typed: string, signal: AbortSignal): Promise<string> {
  let problem: LinkError | undefined
  for (const url of serverAddresses(typed)) {
    try {
      await checkServer(url, signal)
      return url
    } catch (error) {
      if (!(error instanceof LinkError) || error.code === 'stopped') throw error
      problem ??= error
      if (error.code !== 'unreachable') problem = error
    }
  }
  throw problem ?? new LinkError('no_server', `"${typed}" is no address of a server`)
}
