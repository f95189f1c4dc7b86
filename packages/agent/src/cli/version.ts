import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** Filled in where the whole program is one file, which has no package beside it. */
declare const PRINTWARDEN_AGENT_VERSION: string | undefined

/** The agent's version, as its package says. */
export function agentVersion(): string {
  if (typeof PRINTWARDEN_AGENT_VERSION === 'string') return PRINTWARDEN_AGENT_VERSION
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version
}
