import { type AccountToken, endpoints } from '@printwarden/protocol'
import type { Command } from 'commander'
import { z } from 'zod'
import { NoOptions, onServer } from './command.js'

/** `token issue | list | revoke` */
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
    token.command('list').description('list the valid tokens').option('--user <email>', 'of one account alone'),
    z.object({ user: z.string().optional() }),
    async (server, { user }) => {
      const tokens = await server.ask(endpoints.listTokens, user === undefined ? {} : { query: { email: user } })
      return { json: tokens, lines: tokens.map(lineOf) }
    },
  )

  onServer(
    token
      .command('revoke <token>')
      .description('revoke an access token and close its connections; by the token, or by its number in the list'),
    NoOptions,
    async (server, _options, [revoked = '']) => {
      if (/^[1-9]\d{0,9}$/.test(revoked)) await server.tell(endpoints.revokeTokenById, { params: { id: revoked } })
      else await server.tell(endpoints.revokeToken, { body: { token: revoked } })
      return { json: { revoked: true }, lines: ['revoked'] }
    },
  )
}

function lineOf({ id, email, name, app, scope, expires_at, last_used_at }: AccountToken): string {
  const what = app === null ? (name ?? 'without a name') : `app ${app}`
  const end = expires_at === null ? 'never expires' : `expires ${expires_at}`
  const use = last_used_at === null ? 'never used' : `last used ${last_used_at}`
  return `${id}  ${email}  ${[what, scope, end, use].join(', ')}`
}
