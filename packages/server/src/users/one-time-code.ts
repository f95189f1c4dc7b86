import { Secret, TOTP } from 'otpauth'

const PERIOD_SECONDS = 30
const DIGITS = 6

/** Clocks differ: the code before and the one after count too. */
const WINDOW = 1

function totpOf(secretHex: string, label = ''): TOTP {
  return new TOTP({
    issuer: 'Printwarden',
    label,
    algorithm: 'SHA1',
    digits: DIGITS,
    period: PERIOD_SECONDS,
    secret: Secret.fromHex(secretHex),
  })
}

/** The secret as authenticators take it in: as an address for the QR code, and to be typed. */
export function enrolment(secretHex: string, account: string): { readonly uri: string; readonly typed: string } {
  const totp = totpOf(secretHex, account)
  return { uri: totp.toString(), typed: (totp.secret.base32.match(/.{1,4}/g) ?? []).join(' ') }
}

/** The time step that `code` belongs to; undefined when it is none of the codes that count now. */
export function stepOfCode(secretHex: string, code: string, now: number): number | undefined {
  const digits = code.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(digits)) return undefined
  const delta = totpOf(secretHex).validate({ token: digits, timestamp: now, window: WINDOW })
  return delta === null ? undefined : Math.floor(now / 1000 / PERIOD_SECONDS) + delta
}

/** The code of a moment: what an authenticator shows. */
export function codeAt(secretHex: string, now: number): string {
  return totpOf(secretHex).generate({ timestamp: now })
}

/** A recovery code as it is kept: without what people add when they type. */
export function plainRecoveryCode(code: string): string | undefined {
  const plain = code.toLowerCase().replaceAll(/[\s-]/g, '')
  return /^[0-9a-f]{12}$/.test(plain) ? plain : undefined
}

/** A recovery code as people read it. */
export function shownRecoveryCode(plain: string): string {
  return (plain.match(/.{1,4}/g) ?? []).join('-')
}
