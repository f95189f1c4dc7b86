import { randomBytes } from 'node:crypto'
import { type Account, endpoints, MAX_CREDITS } from '@printwarden/protocol'
import type { Command } from 'commander'
import { z } from 'zod'
import { type Answer, NoOptions, onServer } from './command.js'
import { CommandError } from './command-error.js'
import type { Connection } from './connection.js'

/** `user add | invite | list | set | disable | reset-password` */
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

  onServer(
    user
      .command('invite [email]')
      .description('make a link by which somebody makes an account; it works once, within seven days')
      .option('--admin', 'the account will be an administrator'),
    z.object({ admin: z.boolean().default(false) }),
    async (server, { admin }, [email]) => {
      const body = { is_admin: admin, ...(email === undefined ? {} : { email }) }
      const made = await server.ask(endpoints.createInvitation, { body })
      return { json: made, lines: [made.url, ...(made.mailed ? [`mailed to ${made.email}`] : [])] }
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
      .option('--enable', 'let a disabled account in again')
      .option('--ai-quota <credits>', 'AI credits a month; -1 = unlimited')
      .option('--no-two-step', 'let it sign in by its password alone, when authenticator and recovery codes are lost'),
    z.object({
      admin: z.boolean().optional(),
      enable: z.literal(true).optional(),
      aiQuota: z.string().optional(),
      twoStep: z.boolean().optional(),
    }),
    async (server, { admin, enable, aiQuota, twoStep }, [email = '']) => {
      if (admin === undefined && enable === undefined && aiQuota === undefined && twoStep !== false) {
        throw new CommandError('nothing to change; give --admin, --no-admin, --enable, --ai-quota or --no-two-step')
      }
      const quota = aiQuota === undefined ? undefined : creditsOf('--ai-quota', aiQuota, -1)
      if (twoStep === false) {
        const { id } = await accountOf(server, email)
        await server.tell(endpoints.removeTwoStep, { params: { id } })
      }
      return change(server, email, {
        ...(admin === undefined ? {} : { is_admin: admin }),
        ...(enable === undefined ? {} : { disabled: false }),
        ...(quota === undefined ? {} : { ai_credit_free_monthly_quota: quota }),
      })
    },
  )

  onServer(
    user
      .command('grant-credits <email> <credits>')
      .description("give an account AI credits beyond the month's; they do not expire")
      .option('--note <text>', 'why, for the book'),
    z.object({ note: z.string().optional() }),
    async (server, { note }, [email = '', text = '']) => {
      const amount = creditsOf('<credits>', text, 1)
      const { id } = await accountOf(server, email)
      const body = { amount, ...(note === undefined ? {} : { note }) }
      const credits = await server.ask(endpoints.grantAiCredits, { params: { id }, body })
      return { json: credits, lines: [`${email} has ${credits.ai_credit_granted} granted credits left`] }
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
      .option('--password <password>', 'at least 8 characters')
      .option('--link', 'change nothing yet; make a link by which the user sets the password, within an hour'),
    z.object({ password: z.string().optional(), link: z.literal(true).optional() }),
    async (server, { password = newPassword(), link }, [email = '']) => {
      if (link === true) {
        const { id } = await accountOf(server, email)
        const made = await server.ask(endpoints.createPasswordResetLink, { params: { id } })
        return { json: made, lines: [made.url] }
      }
      const { json } = await change(server, email, { password })
      return withPassword(json, password)
    },
  )
}

async function change(
  server: Connection,
  email: string,
  body: { is_admin?: boolean; disabled?: boolean; password?: string; ai_credit_free_monthly_quota?: number },
): Promise<Answer & { json: Account }> {
  const account = await accountOf(server, email)
  const changed = await server.ask(endpoints.updateAccount, { params: { id: account.id }, body })
  return { json: changed, lines: [lineOf(changed)] }
}

/** @throws {CommandError} when nobody has the address */
async function accountOf(server: Connection, email: string): Promise<Account> {
  const accounts = await server.ask(endpoints.listAccounts)
  const account = accounts.find((one) => one.email === email.toLowerCase())
  if (account === undefined) throw new CommandError(`no account has the address ${email}; "user list" shows all`)
  return account
}

function withPassword(account: Account, password: string): Answer {
  return { json: { ...account, password }, lines: [lineOf(account), `password: ${password}`] }
}

/** @throws {CommandError} when it is no number of credits */
function creditsOf(what: string, text: string, min: number): number {
  const credits = /^-?\d{1,7}$/.test(text) ? Number(text) : Number.NaN
  if (credits >= min && credits <= MAX_CREDITS) return credits
  throw new CommandError(`${what} must be a whole number from ${min} to ${MAX_CREDITS}`)
}

function lineOf({ id, email, is_admin, disabled_at, printer_count, ai_credit_free_monthly_quota }: Account): string {
  const printers = printer_count === 1 ? '1 printer' : `${printer_count} printers`
  const quota = ai_credit_free_monthly_quota === -1 ? undefined : `${ai_credit_free_monthly_quota} AI credits a month`
  const notes = [is_admin ? 'administrator' : undefined, disabled_at === null ? undefined : 'disabled', printers, quota]
  return `${id}  ${email}  ${notes.filter((note) => note !== undefined).join(', ')}`
}

const newPassword = (): string => randomBytes(12).toString('base64url')
