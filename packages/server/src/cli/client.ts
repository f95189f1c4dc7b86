import { type OAuthApp, endpoints, SLICER_CLIENT_IDS } from '@printwarden/protocol'
import { Argument, type Command, Option } from 'commander'
import { z } from 'zod'
import { NoOptions, onServer } from './command.js'

const ClientOptions = z.object({
  name: z.string(),
  description: z.string().optional(),
  type: z.enum(['confidential', 'public']),
  redirectUri: z.array(z.string()),
})

/** `client add | list | remove | rotate-secret | allow-slicer` */
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

  onServer(client.command('list').description('list the apps'), NoOptions, async (server) => {
    const clients = await server.ask(endpoints.listClients)
    return { json: clients, lines: clients.map(lineOf) }
  })

  onServer(
    client.command('remove <client_id>').description('delete an app; everything that was issued to it ends'),
    NoOptions,
    async (server, _options, [client_id = '']) => {
      await server.tell(endpoints.removeClient, { params: { client_id } })
      return { json: { removed: client_id }, lines: ['removed'] }
    },
  )

  onServer(
    client
      .command('rotate-secret <client_id>')
      .description('replace the secret of an app; the new one is shown only here'),
    NoOptions,
    async (server, _options, [client_id = '']) => {
      const rotated = await server.ask(endpoints.rotateClientSecret, { params: { client_id } })
      return { json: rotated, lines: [`client_secret: ${rotated.client_secret}`] }
    },
  )

  onServer(
    client
      .command('allow-slicer')
      .description('let a slicer sign users in under the id that is built into it; "client remove" ends that')
      .addArgument(new Argument('<client_id>').choices([...SLICER_CLIENT_IDS])),
    NoOptions,
    async (server, _options, [given]) => {
      const client_id = z.enum(SLICER_CLIENT_IDS).parse(given)
      const allowed = await server.ask(endpoints.allowSlicer, { body: { client_id } })
      return { json: allowed, lines: [lineOf(allowed)] }
    },
  )
}

function lineOf({ client_id, name, type, owner, user_count, last_used_at }: OAuthApp): string {
  const people = user_count === 1 ? '1 user' : `${user_count} users`
  const use = last_used_at === null ? 'never used' : `last used ${last_used_at}`
  return `${client_id}  ${name}  ${[type, owner ?? 'operator', people, use].join(', ')}`
}
