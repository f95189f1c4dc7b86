import { resolve } from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import { loadConfig, userFolder } from '../config.js'
import { type Answer, onData } from './command.js'
import { CommandError } from './command-error.js'
import { showProgress } from './importing/progress.js'

const Options = z.object({
  from: z.string().optional(),
  to: z.string().optional(),
  blobs: z.string().optional(),
  dryRun: z.boolean().default(false),
  verify: z.boolean().default(false),
  envFile: z.string().optional(),
})
type Options = z.infer<typeof Options>

/** `copy` */
export function addCopyCommand(program: Command): void {
  onData(
    program
      .command('copy')
      .description(
        'copy a stopped server with its embedded database to PostgreSQL, and compare every row. Nothing is changed here; begun again it ends right',
      )
      .option('--from <folder>', "the data folder; the configuration's when left out")
      .option(
        '--to <url>',
        'an empty database, such as postgres://user:password@host/name; PRINTWARDEN_DATABASE_URL when left out',
      )
      .option('--blobs <place>', 'copy pictures and files too: to this folder, or s3://bucket?endpoint=…')
      .option('--dry-run', 'only show what would be copied')
      .option('--verify', 'only compare a copy with what it was made of; with --blobs, pictures and files too'),
    Options,
    runCopy,
  )
}

async function runCopy(options: Options): Promise<Answer> {
  if (options.dryRun && options.verify) {
    throw new CommandError('--dry-run looks before a copy and --verify after it; give one of them')
  }
  const config = loadConfig(options.envFile)
  const to = options.to ?? config.databaseUrl
  if (to === undefined) {
    throw new CommandError(
      'no database to copy to; give --to postgres://user:password@host/name, or set PRINTWARDEN_DATABASE_URL',
    )
  }
  if (!/^postgres(ql)?:\/\//.test(to))
    throw new CommandError('--to is no URL of PostgreSQL; it looks like postgres://user:password@host/name')
  // What speaks with both databases takes a while to load; other commands need none of it.
  const { copyServer } = await import('./copying/server.js')
  const stop = (): void => {
    process.stderr.write('\nstopped; no server starts on the copy until the same command was run to its end\n')
    process.exit(130)
  }
  process.once('SIGINT', stop)
  try {
    return await copyServer({
      from: options.from === undefined ? config.dataDir : resolve(userFolder(), options.from),
      to,
      blobs:
        options.blobs === undefined || options.blobs.startsWith('s3:')
          ? options.blobs
          : resolve(userFolder(), options.blobs),
      only: options.dryRun ? 'count' : options.verify ? 'verify' : undefined,
      show: showProgress(process.stderr),
    })
  } finally {
    process.off('SIGINT', stop)
  }
}
