import { Email, Password } from '@printwarden/protocol'
import { z } from 'zod'

// What the forms of these pages send. A missing field counts as empty, and so does one that was sent twice.

const field = z.string().max(2000).catch('')

function form<Names extends string>(...names: readonly Names[]) {
  const shape = Object.fromEntries(names.map((name) => [name, field])) as Record<Names, typeof field>
  const empty = Object.fromEntries(names.map((name) => [name, ''])) as Record<Names, string>
  const schema = z.object(shape)
  return { parse: (body: unknown): Record<Names, string> => ({ ...empty, ...schema.safeParse(body).data }) }
}

export const ActionForm = form('form_token')
export const PasswordForm = form('form_token', 'old_password', 'password', 'password_again')
export const EmailForm = form('form_token', 'old_password', 'email')
export const CodeForm = form('form_token', 'old_password', 'code')
export const SecondStepForm = form('form_token', 'step', 'code', 'next')
export const ResetRequestForm = form('form_token', 'email')
export const NewPasswordForm = form('form_token', 'token', 'password', 'password_again')
export const LinkForm = form('form_token', 'token')
export const AcceptForm = form('form_token', 'token', 'name', 'email', 'password', 'password_again')
export const InvitationForm = form('form_token', 'email', 'is_admin')

/** What is wrong with a new password, in the reader's words; undefined when nothing is. */
export function problemOfPassword(password: string, again: string): string | undefined {
  if (password.length < 8) return 'The password needs at least 8 characters.'
  if (!Password.safeParse(password).success) return 'The password is too long; 256 characters are the most.'
  return password === again ? undefined : 'The two passwords differ.'
}

/** An address as it was typed; undefined when it is none. */
export function readEmail(text: string): string | undefined {
  return Email.safeParse(text.trim().toLowerCase()).data
}
