import { type ActionProposal, type AiCredits, ApiError, NetworkError } from '@printwarden/sdk'
import type { Tone, Words } from '../wording.js'
import { quoted } from './quoted.js'

/** How many credits are left; undefined when nothing is counted. */
export function creditsWords(credits: AiCredits): string | undefined {
  const {
    ai_credit_free_monthly_quota: quota,
    ai_credit_used_current_month: used,
    ai_credit_granted: granted,
  } = credits
  if (quota < 0) return undefined
  const left = Math.max(0, quota - used)
  if (quota === 0) return `${granted} ${granted === 1 ? 'credit' : 'credits'} left`
  const month = `${left} of ${quota} credits left this month`
  return granted === 0 ? month : `${month}, and ${granted} more`
}

const dateFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long', timeZone: 'UTC' })

/** The day on which the next month's credits come: the months are those of UTC. */
export function creditsReturn(nowSeconds: number): string {
  const now = new Date(nowSeconds * 1000)
  return dateFormat.format(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
}

/** Why there is no answer, and what to do about it. */
export interface ProblemWords {
  readonly title: string
  readonly text: string
  /** What an administrator can set. */
  readonly settings: readonly string[]
  readonly canRetry: boolean
}

/** The settings that give the assistant its model. */
export const ASSISTANT_SETTINGS = [
  'PRINTWARDEN_ASSISTANT_URL',
  'PRINTWARDEN_ASSISTANT_MODEL',
  'PRINTWARDEN_OUTBOUND_ALLOW',
] as const

/** What to say about a question that was not answered. `quota` is that of the user's month, where it is known. */
export function problemWords(
  error: unknown,
  reader: { readonly isAdmin: boolean; readonly nowSeconds: number; readonly quota: number | undefined },
): ProblemWords {
  const none = { settings: [], canRetry: true }
  if (error instanceof NetworkError)
    return { ...none, title: 'The answer broke off', text: 'The server cannot be reached, or the connection was cut.' }
  if (!(error instanceof ApiError))
    return { ...none, title: 'No answer', text: 'Something went wrong in this page. Reload it and ask again.' }
  const code: string = error.code
  switch (code) {
    case 'credits_exhausted':
      return { ...none, ...exhaustedWords(reader), canRetry: false }
    case 'assistant_not_configured':
      return { ...notConfiguredWords(reader.isAdmin), canRetry: false }
    case 'rate_limited':
      return {
        ...none,
        title: 'That was too much at once',
        text: `Two questions are answered at a time. ${waitWords(error.retryAfterSeconds)}`,
      }
    case 'unavailable':
      return {
        ...none,
        title: 'The model gave no answer',
        text: `${error.detail} ${waitWords(error.retryAfterSeconds)}`,
      }
    default:
      return { ...none, title: error.title, text: error.detail }
  }
}

/** That there is no model, and who can set one. */
export function notConfiguredWords(isAdmin: boolean): Omit<ProblemWords, 'canRetry'> {
  return {
    title: 'The assistant is not set up',
    text: isAdmin
      ? 'Give it a model with these settings of the server, then restart it. docs/assistant.md says how.'
      : 'Ask whoever runs this server to give it a model.',
    settings: isAdmin ? ASSISTANT_SETTINGS : [],
  }
}

function exhaustedWords(reader: Parameters<typeof problemWords>[1]): Pick<ProblemWords, 'title' | 'text'> {
  const title = 'No credits are left'
  const grant = reader.isAdmin
    ? 'More can be granted with “printwarden-server user grant-credits”.'
    : 'Whoever runs this server can grant more.'
  if (reader.quota === 0) return { title, text: grant }
  return { title, text: `The next come on ${creditsReturn(reader.nowSeconds)}. ${grant}` }
}

const waitWords = (seconds: number | undefined): string =>
  seconds === undefined || seconds <= 1 ? 'Try again in a moment.' : `Try again in ${Math.ceil(seconds)} seconds.`

type Action = ActionProposal['action']

const VERBS: Readonly<Record<Action, string>> = { pause: 'Pause', resume: 'Resume', cancel: 'Cancel', print: 'Print' }

/** What a proposal would do, in our own words and not in the model's: Cancel the print “benchy.gcode” on “Left”. */
export function proposalTitle({ action, filename, printer_name }: ActionProposal): string {
  const file = filename === null ? undefined : quoted(filename)
  const what = action === 'print' ? (file ?? 'a stored file') : `the print${file === undefined ? '' : ` ${file}`}`
  return `${VERBS[action]} ${what} on ${quoted(printer_name)}`
}

const EFFECTS: Readonly<Record<Action, string>> = {
  pause: 'The print stands still until somebody resumes it.',
  resume: 'The printer goes on where it stands.',
  cancel: 'The print is stopped and cannot be continued.',
  print: 'The printer heats up and begins. See that its bed is clear.',
}

/** What is asked once more before a print is cancelled. */
export function cancelQuestion({ filename, printer_name }: ActionProposal): string {
  const what = filename === null ? 'The print' : quoted(filename)
  return `${what} on ${quoted(printer_name)} is stopped and cannot be continued.`
}

/** What follows from it. */
export const proposalEffect = ({ action }: ActionProposal): string => EFFECTS[action]

const CONFIRMS: Readonly<Record<Action, string>> = {
  pause: 'Pause the print',
  resume: 'Resume the print',
  cancel: 'Cancel the print',
  print: 'Start the print',
}

/** What its button says. */
export const proposalConfirm = ({ action }: ActionProposal): string => CONFIRMS[action]

/** A proposal's state now: one whose time is over is expired before the server has said so. */
export function proposalState({ state, expires_at }: ActionProposal, nowSeconds: number): ActionProposal['state'] {
  return state === 'waiting' && Date.parse(expires_at) / 1000 <= nowSeconds ? 'expired' : state
}

/** How a proposal that is over ended; undefined while it waits or is being done. */
export function proposalOutcome(proposal: ActionProposal, nowSeconds: number): Words | undefined {
  const said = (text: string, tone: Tone): Words => ({ text, tone })
  switch (proposalState(proposal, nowSeconds)) {
    case 'done':
      return said('Done.', 'good')
    case 'failed':
      // As the server says it: of what was cut off it is not known whether it was done.
      return said(proposal.error ?? 'It did not work, and the printer did not say why.', 'bad')
    case 'dismissed':
      return said('Declined. Nothing was done.', 'neutral')
    case 'expired':
      return said('Its time is over. Nothing was done.', 'neutral')
    case 'waiting':
    case 'running':
      return undefined
  }
}

/** How long a proposal can still be confirmed: "4:05". */
export function proposalTimeLeft({ expires_at }: ActionProposal, nowSeconds: number): string {
  const left = Math.max(0, Math.floor(Date.parse(expires_at) / 1000 - nowSeconds))
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`
}

/** An answer of a post-mortem, cut at what it cites: a number is that of a moment, and only of one that there is. */
export function citedParts(answer: string, numbers: ReadonlySet<number>): (string | number)[] {
  const parts: (string | number)[] = []
  let end = 0
  for (const match of answer.matchAll(/\[(\d{1,4}(?:\s?,\s?\d{1,4})*)\]/g)) {
    const cited = (match[1] ?? '').split(',').map(Number)
    if (!cited.every((number) => numbers.has(number))) continue
    parts.push(answer.slice(end, match.index), ...cited)
    end = match.index + match[0].length
  }
  parts.push(answer.slice(end))
  return parts.filter((part) => part !== '')
}
