import { endpoints } from '@printwarden/protocol'
import { type Command, Option } from 'commander'
import { z } from 'zod'
import { onServer } from './command.js'

const ClientOptions = z.object({
  name: z.string(),
  description: z.string().optional(),
  type: z.enum(['confidential', 'public']),
  redirectUri: z.array(z.string()),
})

/** `client add` */
export function addClientCommands(program: Command): void {
  const client = program.command('client').description('OAuth clients')

  onServer(
    client
      .command('add')
      .description('register an app; the secret of a confidential one is shown only here')
      .requiredOption('--name <name>', 'what users read on the consent page')
      .option('--description <text>', 'what the app does')
      .addOption(
        new Option('--type <type>', 'confidential: runs on a server and keeps a secret; public: runs with its user')
          .choices(['confidential', 'public'])
          .makeOptionMandatory(),
      )
      .requiredOption('--redirect-uri <uri...>', 'where the browser goes after consent; exactly as the app sends it'),
    ClientOptions,
    async (server, { name, description, type, redirectUri }) => {
      const body = { name, type, redirect_uris: [...redirectUri] }
      const added = await server.ask(endpoints.addClient, {
        body: description === undefined ? body : { ...body, description },
      })
      const secret = added.client_secret === null ? [] : [`client_secret: ${added.client_secret}`]
      return { json: added, lines: [`client_id: ${added.client_id}`, ...secret] }
    },
  )
}
