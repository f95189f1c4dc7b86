import { Email, Password } from '@printwarden/protocol'
import { z } from 'zod'

// What the forms send. A missing field counts as empty, and so does one that was sent twice.

const field = z.string().max(2000).catch('')

/** Where to go on: an app's whole request for authorization stands in it. */
const nextField = z.string().max(16_000).catch('')

/** The sign-in form. */
export const SignInForm = z.object({ email: field, password: field, next: nextField, form_token: field }).catch({
  email: '',
  password: '',
  next: '',
  form_token: '',
})

/** The sign-out form; without `next` it leads to the sign-in page alone. */
export const SignOutForm = z.object({ next: nextField }).catch({ next: '' })

/** The claim form. */
export const ClaimForm = z
  .object({ email: field, password: field, password_again: field, token: field, form_token: field })
  .catch({ email: '', password: '', password_again: '', token: '', form_token: '' })
export type ClaimForm = z.infer<typeof ClaimForm>

/** What is wrong with the account that the claim form asks for, in the reader's words; undefined when nothing is. */
export function problemOfClaim({ email, password, password_again }: ClaimForm): string | undefined {
  if (!Email.safeParse(email.trim()).success) return 'This is not an e-mail address.'
  if (password.length < 8) return 'The password needs at least 8 characters.'
  if (!Password.safeParse(password).success) return 'The password is too long; 256 characters are the most.'
  return password === password_again ? undefined : 'The two passwords differ.'
}

/** How long to wait, in words. */
export function waitInWords(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? 'a second' : `${seconds} seconds`
  const minutes = Math.ceil(seconds / 60)
  return minutes === 1 ? 'a minute' : `${minutes} minutes`
}
