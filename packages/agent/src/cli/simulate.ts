import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logLevel, tokensFromEnvironment, tokensFromFile } from '../config/config.js'
import type { PrinterConfig } from '../config/config-schema.js'
import { EXIT } from './exit-codes.js'
import { openLog } from '../log/log-output.js'
import { simulatedPrinters } from '../config/simulated-printers.js'
import { runFleet } from './fleet.js'
import { agentVersion } from './version.js'

export interface SimulateOptions {
  readonly count?: number
  readonly fail: boolean
  readonly server: string
  readonly authToken: readonly string[]
  readonly tokensFile?: string
  readonly duration: number
  readonly interval: number
  readonly pictures: boolean
  readonly seed?: number
}

/** `printwarden-agent simulate`: made-up printers that speak the real protocol. Answers the exit code. */
export async function simulate(options: SimulateOptions): Promise<number> {
  const tokens = await allTokens(options)
  const count = options.count ?? tokens.length
  if (tokens.length < count || count === 0) {
    console.error(
      `printwarden-agent: ${Math.max(1, count)} simulated printers need as many auth tokens, there are ${tokens.length}: ` +
        'give --auth-token for each, --tokens-file, or PRINTWARDEN_AGENT_TOKENS',
    )
    return EXIT.badConfig
  }
  const printers: PrinterConfig[] = simulatedPrinters({ ...options, tokens: tokens.slice(0, count) })
  const log = await openLog({ level: logLevel(), folder: undefined, secrets: tokens })
  // Simulated printers end with the program, so nothing of them must survive it.
  const stateFolder = await mkdtemp(join(tmpdir(), 'printwarden-simulate-'))
  try {
    return await runFleet({ serverUrl: options.server, printers, stateFolder, version: agentVersion(), log })
  } finally {
    await rm(stateFolder, { recursive: true, force: true })
  }
}

async function allTokens({ authToken, tokensFile }: SimulateOptions): Promise<string[]> {
  return [
    ...authToken,
    ...(tokensFile === undefined ? [] : await tokensFromFile(tokensFile)),
    ...tokensFromEnvironment(),
  ]
}
