import { escapeHtml } from './pages.js'
import type { Mail } from './mailer.js'

// What the server writes to its users. Links lead to the canonical origin alone, never to one that a request named.

interface Letter {
  readonly to: string
  readonly subject: string
  readonly lines: readonly string[]
  readonly link?: { readonly text: string; readonly url: string }
  readonly end: string
}

function mailOf({ to, subject, lines, link, end }: Letter): Mail {
  const linkText = link === undefined ? [] : [`${link.text}:\n${link.url}`]
  const paragraphs = lines.map((line) => `<p>${escapeHtml(line)}</p>`)
  const linkHtml =
    link === undefined
      ? []
      : [
          `<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.text)}</a></p>`,
          `<p>Or open this address: ${escapeHtml(link.url)}</p>`,
        ]
  return {
    to,
    subject,
    text: `${[...lines, ...linkText, end].join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en"><body>\n${[...paragraphs, ...linkHtml, `<p>${escapeHtml(end)}</p>`].join('\n')}\n</body></html>\n`,
  }
}

export function resetMail(to: string, url: string): Mail {
  return mailOf({
    to,
    subject: 'Set a new password for Printwarden',
    lines: ['Somebody, probably you, asked to set a new password for your Printwarden account.'],
    link: { text: 'Set a new password', url },
    end: 'The link works once, within an hour. If it was not you, do nothing: your password stays as it is.',
  })
}

export function confirmEmailMail(to: string, url: string): Mail {
  return mailOf({
    to,
    subject: 'Confirm your new address for Printwarden',
    lines: ['This address is to become the one with which you sign in to Printwarden.'],
    link: { text: 'Confirm the address', url },
    end: 'The link works once, within an hour. If you did not ask for this, do nothing.',
  })
}

export function invitationMail(to: string, url: string): Mail {
  return mailOf({
    to,
    subject: 'You are invited to Printwarden',
    lines: ['An administrator of a Printwarden server invites you to make an account there.'],
    link: { text: 'Make your account', url },
    end: 'The link works once, within seven days.',
  })
}

/** A note about a change, so that one that was not meant is noticed. */
export function noticeMail(to: string, what: string, publicUrl: string): Mail {
  return mailOf({
    to,
    subject: `Printwarden: ${what}`,
    lines: [`${what} for your account at ${publicUrl}.`],
    end: 'If this was not you, set a new password at once, or ask the administrator of the server.',
  })
}
