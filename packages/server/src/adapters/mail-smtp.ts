import { createTransport } from 'nodemailer'
import type { Mailer } from '../users/mailer.js'

const CONNECT_TIMEOUT_MS = 10_000
const SOCKET_TIMEOUT_MS = 20_000

/** Where mail goes out, as PRINTWARDEN_SMTP_URL says it. */
export interface SmtpTarget {
  readonly host: string
  readonly port: number
  /** TLS from the first byte; otherwise STARTTLS where the server has it. */
  readonly secure: boolean
  readonly auth: { readonly user: string; readonly pass: string } | undefined
  readonly from: string
}

/** `smtp://user:password@host:587?from=farm@example.org`; `smtps://` is TLS from the first byte. */
export function smtpTarget(text: string): SmtpTarget {
  const url = new URL(text)
  const secure = url.protocol === 'smtps:'
  const user = decodeURIComponent(url.username)
  const fallback = user.includes('@') ? user : `printwarden@${url.hostname}`
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    auth: user === '' ? undefined : { user, pass: decodeURIComponent(url.password) },
    from: url.searchParams.get('from') ?? fallback,
  }
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.')

/** Mail by SMTP. `url` has passed the configuration's check. */
export function openSmtpMailer(url: string): Mailer {
  const { host, port, secure, auth, from } = smtpTarget(url)
  const transport = createTransport({
    ...{ host, port, secure, pool: true, maxConnections: 2 },
    ...(auth === undefined ? {} : { auth }),
    // A password never travels in the clear, save to a mail server on this machine.
    requireTLS: auth !== undefined && !secure && !isLoopback(host),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ to, subject, text, html }) {
      await transport.sendMail({ from: { name: 'Printwarden', address: from }, to, subject, text, html })
    },
    async close() {
      transport.close()
    },
  }
}
