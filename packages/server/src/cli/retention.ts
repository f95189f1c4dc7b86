import { endpoints } from '@printwarden/protocol'
import type { Command } from 'commander'
import { z } from 'zod'
import { onServer } from './command.js'

const MIB = 1024 * 1024

/** `retention` */
export function addRetentionCommand(program: Command): void {
  onServer(
    program
      .command('retention')
      .description(
        'remove the videos of old prints as RETENTION_DAYS and RETENTION_BYTES say; happens by itself once a day',
      )
      .option('--dry-run', 'only show what would go'),
    z.object({ dryRun: z.boolean().default(false) }),
    async (server, { dryRun }) => {
      const found = await server.ask(dryRun ? endpoints.getRetention : endpoints.applyRetention)
      const lines = found.prints.map(
        ({ print_id, filename, outcome, ended_at, bytes, reason }) =>
          `${print_id}  ${ended_at.slice(0, 10)}  ${outcome}  ${megabytes(bytes)}  too ${reason === 'age' ? 'old' : 'much'}  ${filename}`,
      )
      const total = `${found.prints.length} prints, ${megabytes(found.freed_bytes)} of ${megabytes(found.kept_bytes)}`
      return { json: found, lines: [...lines, `${dryRun ? 'would remove' : 'removed'}: ${total}`] }
    },
  )
}

const megabytes = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`
