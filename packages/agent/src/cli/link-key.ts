import { HostError } from '../host.js'
import { requestApplicationKey } from '../hosts/octoprint/application-key-client.js'
import { LinkError } from '../link/link-error.js'
import { systemClock } from '../time/system-clock.js'
import type { Terminal } from './terminal.js'

/** How long a user may take to reach OctoPrint's page and to agree. */
const CONSENT_MS = 10 * 60_000

/**
 * A key of OctoPrint: by the consent of whoever is signed in there, or typed where it cannot ask.
 *
 * @throws {LinkError} `no_key` when it was refused, `no_host`
 */
export async function requestKey(terminal: Terminal, url: string): Promise<string> {
  const { style } = terminal
  try {
    const key = await requestApplicationKey(url, {
      app: 'Printwarden',
      clock: systemClock,
      signal: AbortSignal.any([terminal.signal, AbortSignal.timeout(CONSENT_MS)]),
      onAsked: (dialogUrl) => {
        terminal.say(`  ${style.bold('Confirm in OctoPrint')}: open it and allow “Printwarden”`)
        terminal.say(`  ${dialogUrl}`)
        terminal.status('  Waiting for you …')
      },
    })
    terminal.say(`${style.good('✓')} OctoPrint has given a key`)
    return key
  } catch (error) {
    if (!(error instanceof HostError)) throw error
    if (terminal.signal.aborted) throw new LinkError('stopped', 'stopped', { cause: error })
    if (!terminal.isInteractive)
      throw new LinkError(error.code === 'unreachable' ? 'no_host' : 'no_key', error.message, { cause: error })
    terminal.say(`${style.warn('!')} ${error.message}`)
    terminal.say('  A key can be made by hand in OctoPrint: Settings → Application Keys')
    return terminal.ask('The application key:')
  }
}
