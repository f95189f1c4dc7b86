import { NewOAuthApp, NewPersonalToken } from '@printwarden/protocol'
import { z } from 'zod'
import { problemOfRedirectUri } from './redirect-uri.js'

// What the forms of these pages send. A missing field counts as empty, and so does one that was sent twice.

const field = (max: number) => z.string().max(max).catch('')

const emptyApp = { name: '', description: '', redirect_uris: '', type: '', form_token: '' }

/** The form for an app; the redirect URIs stand one on a line. */
export const AppForm = z
  .object({
    name: field(500),
    description: field(5000),
    redirect_uris: field(110_000),
    type: field(20),
    form_token: field(100),
  })
  .catch(emptyApp)
export type AppForm = z.infer<typeof AppForm>

/** A form that only says what to do. */
export const ActionForm = z.object({ form_token: field(100), sure: field(10) }).catch({ form_token: '', sure: '' })

/** The form for a token. */
export const TokenForm = z
  .object({ name: field(500), scope: field(20), expires_in_days: field(10), form_token: field(100) })
  .catch({ name: '', scope: '', expires_in_days: '', form_token: '' })

/** The form in which the code of a device is typed, and the one that decides about it. */
export const DeviceForm = z
  .object({ user_code: field(40), allow: field(10), form_token: field(100) })
  .catch({ user_code: '', allow: '', form_token: '' })

export type FormProblem = { readonly field: string; readonly text: string }

/** An app as the form describes it, or what is wrong in the reader's words. */
export function readAppForm(form: AppForm, type: string): { app: NewOAuthApp } | { problems: readonly FormProblem[] } {
  const redirect_uris = form.redirect_uris.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
  const result = NewOAuthApp.safeParse({ name: form.name, description: form.description, type, redirect_uris })
  const problems = (result.error?.issues ?? []).map(({ path }) => problemOfField(String(path[0])))
  if (redirect_uris.length > 0 && (type === 'confidential' || type === 'public')) {
    for (const uri of redirect_uris) {
      const problem = problemOfRedirectUri(uri, type)
      if (problem !== undefined) problems.push({ field: 'redirect_uris', text: `${shortened(uri)} ${problem}.` })
    }
  }
  return result.success && problems.length === 0 ? { app: result.data } : { problems }
}

function problemOfField(name: string): FormProblem {
  switch (name) {
    case 'name':
      return { field: name, text: 'The app needs a name of at most 100 characters.' }
    case 'description':
      return { field: name, text: 'The description is too long; 1000 characters are the most.' }
    case 'type':
      return { field: name, text: 'Choose the type: confidential or public.' }
    default:
      return { field: 'redirect_uris', text: 'Name one to fifty redirect URIs of at most 2000 characters.' }
  }
}

const shortened = (uri: string): string => (uri.length > 80 ? `${uri.slice(0, 80)}…` : uri)

/** A token as the form describes it; undefined when the form is not filled in. */
export function readTokenForm(form: z.infer<typeof TokenForm>): NewPersonalToken | undefined {
  const { name, scope, expires_in_days } = form
  const days = expires_in_days === '' ? null : Number(expires_in_days)
  return NewPersonalToken.safeParse({ name, scope, expires_in_days: days }).data
}
