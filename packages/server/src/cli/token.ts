import { endpoints } from '@printwarden/protocol'
import type { Command } from 'commander'
import { z } from 'zod'
import { NoOptions, onServer } from './command.js'

/** `token issue | revoke` */
export function addTokenCommands(program: Command): void {
  const token = program.command('token').description('access tokens')

  onServer(
    token
      .command('issue')
      .description('make an access token for an account; it is shown only here')
      .requiredOption('--user <email>', 'whose token')
      .option('--scope <scopes>', 'read, write or both', 'read write')
      .option('--name <name>', 'what it is for'),
    z.object({ user: z.string(), scope: z.string(), name: z.string().optional() }),
    async (server, { user, scope, name }) => {
      const body = { email: user, scope }
      const issued = await server.ask(endpoints.issueToken, { body: name === undefined ? body : { ...body, name } })
      return { json: issued, lines: [issued.access_token] }
    },
  )

  onServer(
    token.command('revoke <access_token>').description('revoke an access token and close its connections'),
    NoOptions,
    async (server, _options, [revoked = '']) => {
      await server.tell(endpoints.revokeToken, { body: { token: revoked } })
      return { json: { revoked: true }, lines: ['revoked'] }
    },
  )
}
