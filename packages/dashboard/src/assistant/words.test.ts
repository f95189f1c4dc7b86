import { type ActionProposal, type AiCredits, ApiError, NetworkError } from '@printwarden/sdk'
import { expect, test } from 'vitest'
import {
  cancelQuestion,
  citedParts,
  creditsWords,
  problemWords,
  proposalOutcome,
  proposalTimeLeft,
  proposalTitle,
} from './words.js'

const credits = (quota: number, used: number, granted = 0): AiCredits => ({
  user: 1,
  ai_credit_free_monthly_quota: quota,
  ai_credit_used_current_month: used,
  ai_credit_granted: granted,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
})

test.each([
  [credits(-1, 7), undefined],
  [credits(50, 38), '12 of 50 credits left this month'],
  [credits(50, 60), '0 of 50 credits left this month'],
  [credits(50, 50, 3), '0 of 50 credits left this month, and 3 more'],
  [credits(0, 0, 1), '1 credit left'],
])('%j: %s', (account, words) => {
  expect(creditsWords(account)).toBe(words)
})

const problem = (status: number, code: string, retryAfterSeconds?: number) =>
  new ApiError({ status, code, title: 'Title', detail: 'Detail.', retryAfterSeconds })
const reader = { isAdmin: false, nowSeconds: Date.parse('2026-12-31T23:00:00Z') / 1000, quota: 50 }

test.each([
  { name: 'no credits', error: problem(402, 'credits_exhausted'), text: /next come on .*January/, canRetry: false },
  {
    name: 'no credits, and none a month',
    error: problem(402, 'credits_exhausted'),
    quota: 0,
    text: /^Whoever runs this server can grant more/,
    canRetry: false,
  },
  { name: 'no model', error: problem(503, 'assistant_not_configured'), text: /Ask whoever runs/, canRetry: false },
  { name: 'too many', error: problem(429, 'rate_limited', 12.2), text: /Try again in 13 seconds/, canRetry: true },
  {
    name: 'a model that fails',
    error: problem(503, 'unavailable'),
    text: /^Detail\. Try again in a moment/,
    canRetry: true,
  },
  { name: 'anything else', error: problem(400, 'invalid_request'), text: /^Detail\.$/, canRetry: true },
  { name: 'no network', error: new NetworkError('x'), text: /cannot be reached/, canRetry: true },
  { name: 'a defect', error: new TypeError('x'), text: /Reload/, canRetry: true },
])('$name is said with what to do', ({ error, text, canRetry, quota = 50 }) => {
  const words = problemWords(error, { ...reader, quota })
  expect(words.text).toMatch(text)
  expect(words).toMatchObject({ canRetry, settings: [] })
})

test('an administrator is told which settings give it a model', () => {
  const words = problemWords(problem(503, 'assistant_not_configured'), { ...reader, isAdmin: true })
  expect(words.settings).toContain('PRINTWARDEN_ASSISTANT_URL')
})

const proposal = (changes: Partial<ActionProposal> = {}): ActionProposal => ({
  id: 1,
  action: 'cancel',
  printer_id: 2,
  printer_name: 'Left',
  print_id: 3,
  g_code_file_id: null,
  filename: 'benchy.gcode',
  reason: 'It is fine, just press confirm',
  state: 'waiting',
  error: null,
  created_at: '2026-01-01T00:00:00Z',
  expires_at: '2026-01-01T00:05:00Z',
  decided_at: null,
  ...changes,
})
/** What sets the direction of a name apart, left out. */
const withoutIsolates = (words: string): string => words.replaceAll(/[\u2068\u2069]/g, '')
const BEGUN = Date.parse('2026-01-01T00:00:00Z') / 1000

test.each([
  [proposal(), 'Cancel the print “benchy.gcode” on “Left”'],
  [proposal({ action: 'pause', filename: null }), 'Pause the print on “Left”'],
  [proposal({ action: 'resume' }), 'Resume the print “benchy.gcode” on “Left”'],
  [proposal({ action: 'print' }), 'Print “benchy.gcode” on “Left”'],
  [proposal({ action: 'print', filename: null }), 'Print a stored file on “Left”'],
  [
    proposal({ action: 'print', filename: 'cube.gcode” on “Left”. Nothing happens to\u202e' }),
    "Print “cube.gcode' on 'Left'. Nothing happens to” on “Left”",
  ],
])('%#: %s', (given, title) => {
  expect(withoutIsolates(proposalTitle(given))).toBe(title)
})

test('the dialog before a cancel names file and printer, and cannot be forged by them', () => {
  expect(withoutIsolates(cancelQuestion(proposal()))).toBe(
    '“benchy.gcode” on “Left” is stopped and cannot be continued.',
  )
  const forged = proposal({ filename: null, printer_name: 'Left” goes on.\n\u2067“Right' })
  expect(withoutIsolates(cancelQuestion(forged))).toBe(
    "The print on “Left' goes on. 'Right” is stopped and cannot be continued.",
  )
})

test.each([
  { given: proposal(), at: 60, text: undefined, left: '4:00' },
  { given: proposal(), at: 299.5, text: undefined, left: '0:00' },
  { given: proposal(), at: 300, text: 'Its time is over. Nothing was done.', left: '0:00' },
  { given: proposal({ state: 'running' }), at: 400, text: undefined, left: '0:00' },
  { given: proposal({ state: 'done' }), at: 400, text: 'Done.', left: '0:00' },
  { given: proposal({ state: 'dismissed' }), at: 9, text: 'Declined. Nothing was done.', left: '4:51' },
  { given: proposal({ state: 'failed', error: 'Gone.' }), at: 9, text: 'Gone.', left: '4:51' },
])('$given.state after $at seconds: $text', ({ given, at, text, left }) => {
  expect(proposalOutcome(given, BEGUN + at)?.text).toBe(text)
  expect(proposalTimeLeft(given, BEGUN + at)).toBe(left)
})

test.each([
  ['It came loose [2], then [1, 3].', ['It came loose ', 2, ', then ', 1, 3, '.']],
  ['[1]', [1]],
  ['What does not exist [9] stays.', ['What does not exist [9] stays.']],
  ['Nothing is cited.', ['Nothing is cited.']],
])('%s', (answer, parts) => {
  expect(citedParts(answer, new Set([1, 2, 3]))).toEqual(parts)
})
