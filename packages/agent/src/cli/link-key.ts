import type { Terminal } from './terminal.js'

/** A key of OctoPrint: asked for. */
export async function requestKey(terminal: Terminal, url: string): Promise<string> {
  terminal.say(`  ${url} needs a key: Settings → Application Keys → make one for Printwarden`)
  return terminal.ask('Application key:')
}
