import { z } from 'zod'

const BOOLEANS: Record<string, boolean> = {
  true: true,
  yes: true,
  on: true,
  '1': true,
  false: false,
  no: false,
  off: false,
  '0': false,
}

/** A switch, written as people write one: true, yes, on or 1. */
export const iniBoolean = z.string().transform((text, context) => {
  const value = BOOLEANS[text.toLowerCase()]
  if (value === undefined) context.addIssue(`should be true or false, not "${text}"`)
  return value ?? false
})

/** A number within limits. */
export function iniNumber(limits: { min: number; max: number; whole?: boolean }) {
  return z.string().transform((text, context) => {
    const value = text === '' ? Number.NaN : Number(text)
    const fits = value >= limits.min && value <= limits.max && (!limits.whole || Number.isInteger(value))
    if (!fits) {
      const kind = limits.whole ? 'a whole number' : 'a number'
      context.addIssue(`should be ${kind} from ${limits.min} to ${limits.max}, not "${text}"`)
    }
    return value
  })
}

/** A web address. */
export const iniUrl = z.string().transform((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    // What stands before an @ may be a password.
    const instead = text.includes('@') ? '' : `, not "${text}"`
    context.addIssue(`should be a URL like http://192.168.1.20:5000${instead}`)
  }
  return text
})

/** The address of a program, without the slash at its end, so that paths can be put behind it. */
export const iniBaseUrl = iniUrl.transform((text) => text.replace(/\/+$/, ''))

/** A text that is there. */
export const iniText = z.string().min(1, 'is empty')
