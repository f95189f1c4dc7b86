import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { endpoints } from '@printwarden/protocol'
import type { Command } from 'commander'
import { z } from 'zod'
import { userFolder } from '../config.js'
import { onServer } from './command.js'
import { CommandError } from './command-error.js'

/** `seed` */
export function addSeedCommand(program: Command): void {
  onServer(
    program
      .command('seed')
      .description('make accounts, tokens, clients and printers for a conformance run, and describe them in a file')
      .requiredOption('--target <file>', 'the file to write, such as target.json'),
    z.object({ target: z.string() }),
    async (server, { target }) => {
      const path = resolve(userFolder(), target)
      const seeded = await server.ask(endpoints.seed)
      await writeTarget(path, `${JSON.stringify(seeded, null, 2)}\n`)
      return { json: seeded, lines: [`written: ${path}`] }
    },
  )
}

/** Only its owner may read it: it holds passwords and tokens. */
async function writeTarget(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { mode: 0o600 })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(`${path} cannot be written (${reason}); name another file with --target`, { cause: error })
  }
}
