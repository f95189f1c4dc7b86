import type { Mail } from '../../users/mailer.js'
import { escapeHtml } from '../../users/pages.js'
import type { SupportRow } from './support-store.js'

/** A support request as a letter. */
export function supportMail(to: string, { id, email, message, diagnostics, created_at }: SupportRow): Mail {
  const head = [`Support request #${id}`, `From: ${email}`, `At: ${new Date(created_at).toISOString()}`]
  const parts = [
    head.join('\n'),
    message,
    ...(diagnostics === null ? [] : [`Diagnostics, sent with consent:\n${diagnostics}`]),
  ]
  const paragraphs = parts.map((part) => `<pre style="white-space: pre-wrap">${escapeHtml(part)}</pre>`)
  return {
    to,
    subject: `Printwarden: support request #${id}`,
    text: `${parts.join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en"><body>\n${paragraphs.join('\n')}\n</body></html>\n`,
  }
}

/** The same as JSON, for a program. `id` stays the same when it comes again. */
export function supportJson({ id, user_id, email, message, diagnostics, created_at }: SupportRow): string {
  const parsed: unknown = diagnostics === null ? null : JSON.parse(diagnostics)
  const at = new Date(created_at).toISOString()
  return JSON.stringify({ id, user: user_id, email, message, diagnostics: parsed, created_at: at })
}
