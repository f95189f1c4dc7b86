import { z } from 'zod'

// Variables of the assistant, in the form of config-schema.ts. Pure.

/** Up to a version, as `http://192.168.1.5:11434/v1`; what follows it is the protocol's. */
const endpoint = z
  .url({ protocol: /^https?$/, error: 'must be an http(s) URL', abort: true })
  .refine((text) => {
    const { username, password, search, hash } = new URL(text)
    return username === '' && password === '' && search === '' && hash === ''
  }, 'must have no user name, query or fragment; the key has a variable of its own')
  .transform((text) => text.replace(/\/+$/, ''))
  .optional()

const text = z.string().max(500).optional()

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`)

export const ASSISTANT_VARIABLES = {
  ASSISTANT_URL: {
    schema: endpoint,
    default: 'off',
    meaning:
      "the assistant's OpenAI-compatible endpoint, as http://192.168.1.5:11434/v1; private addresses also in OUTBOUND_ALLOW; see docs/assistant.md",
  },
  ASSISTANT_KEY: { schema: text, default: 'none', meaning: 'its key' },
  ASSISTANT_MODEL: { schema: text, default: 'none', meaning: 'the model that answers questions' },
  ASSISTANT_VISION_MODEL: {
    schema: text,
    default: 'none',
    meaning: 'the model that looks at pictures of plates; without it plates are not analysed',
  },
  ASSISTANT_VISION_URL: { schema: endpoint, default: 'ASSISTANT_URL', meaning: 'another endpoint for that model' },
  ASSISTANT_VISION_KEY: { schema: text, default: 'ASSISTANT_KEY', meaning: 'the key of that endpoint' },
  ASSISTANT_TIMEOUT_SECONDS: {
    schema: wholeNumber(1, 3600).default(120),
    default: '120',
    meaning: 'how long a model may take for one answer',
  },
  ASSISTANT_MONTHLY_CREDITS: {
    schema: wholeNumber(-1, 1_000_000).default(-1),
    default: '-1',
    meaning: 'AI credits a month of accounts without a quota of their own; -1 = unlimited',
  },
  SUPPORT_ADDRESS: {
    schema: z
      .union([z.email(), z.url({ protocol: /^https?$/ })], 'must be an e-mail address or an http(s) URL')
      .optional(),
    default: 'none',
    meaning: 'where support requests go, by mail or as JSON; without it they are only kept',
  },
}

type Given = Readonly<Record<string, string>>

/** Variables of the assistant that only make sense together. */
export function problemsOfAssistant(given: Given): string[] {
  const needs = (name: string, other: string): string[] =>
    given[name] !== undefined && given[other] === undefined
      ? [`PRINTWARDEN_${other}: is missing, but PRINTWARDEN_${name} is set`]
      : []
  const isMail = /^[^:]+@/.test(given['SUPPORT_ADDRESS'] ?? '')
  return [
    ...needs('ASSISTANT_URL', 'ASSISTANT_MODEL'),
    ...['ASSISTANT_MODEL', 'ASSISTANT_KEY', 'ASSISTANT_VISION_MODEL']
      .flatMap((name) => needs(name, 'ASSISTANT_URL'))
      .slice(0, 1),
    ...['ASSISTANT_VISION_URL', 'ASSISTANT_VISION_KEY']
      .flatMap((name) => needs(name, 'ASSISTANT_VISION_MODEL'))
      .slice(0, 1),
    ...(isMail ? needs('SUPPORT_ADDRESS', 'SMTP_URL') : []),
  ]
}
