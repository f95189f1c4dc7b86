import type { Command } from 'commander'
import { z } from 'zod'
import { loadConfig } from '../config.js'
import { type Answer, onData } from './command.js'

const Options = z.object({ envFile: z.string().optional() })

/** `migrate` */
export function addMigrateCommand(program: Command): void {
  onData(
    program
      .command('migrate')
      .description(
        'bring the database up to date, as each start of a server does by itself: to do it before the new servers start. The old ones may run on',
      ),
    Options,
    runMigrate,
  )
}

async function runMigrate({ envFile }: z.infer<typeof Options>): Promise<Answer> {
  const config = loadConfig(envFile)
  // What speaks with databases takes a while to load; other commands need none of it.
  const { migrateDatabase } = await import('./migrating.js')
  const { place, ran } = await migrateDatabase(config)
  const said = ran.length === 0 ? `${place} is up to date` : `${place} is up to date now: ${ran.join(', ')}`
  return { json: { database: place, migrations: ran }, lines: [said] }
}
