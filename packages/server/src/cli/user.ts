import { randomBytes } from 'node:crypto'
import { type Account, endpoints } from '@printwarden/protocol'
import type { Command } from 'commander'
import { z } from 'zod'
import { type Answer, NoOptions, onServer } from './command.js'
import { CommandError } from './command-error.js'
import type { Connection } from './connection.js'

/** `user add | list | set | disable | reset-password` */
export function addUserCommands(program: Command): void {
  const user = program.command('user').description('accounts')

  onServer(
    user
      .command('add <email>')
      .description('add an account; without --password one is made and shown')
      .option('--password <password>', 'at least 8 characters')
      .option('--admin', 'make it an administrator'),
    z.object({ password: z.string().optional(), admin: z.boolean().default(false) }),
    async (server, { password = newPassword(), admin }, [email = '']) => {
      const account = await server.ask(endpoints.createAccount, { body: { email, password, is_admin: admin } })
      return withPassword(account, password)
    },
  )

  onServer(user.command('list').description('list the accounts'), NoOptions, async (server) => {
    const accounts = await server.ask(endpoints.listAccounts)
    return { json: accounts, lines: accounts.map(lineOf) }
  })

  onServer(
    user
      .command('set <email>')
      .description('change an account')
      .option('--admin', 'make it an administrator')
      .option('--no-admin', 'make it no administrator any more')
      .option('--enable', 'let a disabled account in again'),
    z.object({ admin: z.boolean().optional(), enable: z.literal(true).optional() }),
    async (server, { admin, enable }, [email = '']) => {
      if (admin === undefined && enable === undefined) {
        throw new CommandError('nothing to change; give --admin, --no-admin or --enable')
      }
      return change(server, email, {
        ...(admin === undefined ? {} : { is_admin: admin }),
        ...(enable === undefined ? {} : { disabled: false }),
      })
    },
  )

  onServer(
    user.command('disable <email>').description('keep an account out and end its sessions and tokens'),
    NoOptions,
    (server, _options, [email = '']) => change(server, email, { disabled: true }),
  )

  onServer(
    user
      .command('reset-password <email>')
      .description('set a new password and end the sessions; without --password one is made and shown')
      .option('--password <password>', 'at least 8 characters'),
    z.object({ password: z.string().optional() }),
    async (server, { password = newPassword() }, [email = '']) => {
      const { json } = await change(server, email, { password })
      return withPassword(json, password)
    },
  )
}

async function change(
  server: Connection,
  email: string,
  body: { is_admin?: boolean; disabled?: boolean; password?: string },
): Promise<Answer & { json: Account }> {
  const accounts = await server.ask(endpoints.listAccounts)
  const account = accounts.find((one) => one.email === email.toLowerCase())
  if (account === undefined) throw new CommandError(`no account has the address ${email}; "user list" shows all`)
  const changed = await server.ask(endpoints.updateAccount, { params: { id: account.id }, body })
  return { json: changed, lines: [lineOf(changed)] }
}

function withPassword(account: Account, password: string): Answer {
  return { json: { ...account, password }, lines: [lineOf(account), `password: ${password}`] }
}

function lineOf({ id, email, is_admin, disabled_at, printer_count }: Account): string {
  const printers = printer_count === 1 ? '1 printer' : `${printer_count} printers`
  const notes = [is_admin ? 'administrator' : undefined, disabled_at === null ? undefined : 'disabled', printers]
  return `${id}  ${email}  ${notes.filter((note) => note !== undefined).join(', ')}`
}

const newPassword = (): string => randomBytes(12).toString('base64url')
