import type { Command } from 'commander'
import { addClientCommands } from './client.js'
import { addDoctorCommand } from './doctor.js'
import { addPrinterCommands } from './printer.js'
import { addRetentionCommand } from './retention.js'
import { addSeedCommand } from './seed.js'
import { addTokenCommands } from './token.js'
import { addUserCommands } from './user.js'

/** The administration commands. All of them speak with a running server over its REST API. */
export function addCommands(program: Command): void {
  addUserCommands(program)
  addClientCommands(program)
  addTokenCommands(program)
  addPrinterCommands(program)
  addRetentionCommand(program)
  addSeedCommand(program)
  addDoctorCommand(program)
}
