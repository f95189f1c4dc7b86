import type { Command } from 'commander'
import { addClientCommands } from './client.js'
import { addCopyCommand } from './copy.js'
import { addDoctorCommand } from './doctor.js'
import { addImportCommand } from './import.js'
import { addMigrateCommand } from './migrate.js'
import { addPrinterCommands } from './printer.js'
import { addRetentionCommand } from './retention.js'
import { addSeedCommand } from './seed.js'
import { addTokenCommands } from './token.js'
import { addUserCommands } from './user.js'

/** The administration commands. All but `copy` and `migrate` speak with a running server over its REST API. */
export function addCommands(program: Command): void {
  addUserCommands(program)
  addClientCommands(program)
  addTokenCommands(program)
  addPrinterCommands(program)
  addRetentionCommand(program)
  addImportCommand(program)
  addCopyCommand(program)
  addMigrateCommand(program)
  addSeedCommand(program)
  addDoctorCommand(program)
}
