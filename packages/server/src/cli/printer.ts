import { endpoints } from '@printwarden/protocol'
import type { Command } from 'commander'
import { z } from 'zod'
import { onServer } from './command.js'

/** `printer add` */
export function addPrinterCommands(program: Command): void {
  const printer = program.command('printer').description('printers')

  onServer(
    printer
      .command('add')
      .description("add a printer to an account and show its agent's token")
      .requiredOption('--user <email>', 'whose printer')
      .requiredOption('--name <name>', 'what people call it'),
    z.object({ user: z.string(), name: z.string() }),
    async (server, { user, name }) => {
      const added = await server.ask(endpoints.addPrinterFor, { body: { email: user, name } })
      return { json: added, lines: [`id: ${added.id}`, `auth_token: ${added.auth_token}`] }
    },
  )
}
