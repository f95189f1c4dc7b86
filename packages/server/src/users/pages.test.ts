import { expect, test } from 'vitest'
import { type ClaimForm, problemOfClaim, SignInForm, waitInWords } from './forms.js'
import { claimPage, escapeHtml, messagePage, signInPage } from './pages.js'

const NASTY = `"><script>alert('x')</script>&`

test.each([
  { name: 'sign-in', html: signInPage({ formToken: NASTY, next: NASTY, email: NASTY, problem: NASTY }) },
  { name: 'claim', html: claimPage({ formToken: NASTY, token: NASTY, email: NASTY, problem: NASTY }) },
  { name: 'message', html: messagePage(NASTY, NASTY, { href: NASTY, text: NASTY }) },
])('nothing that a stranger sent becomes markup on the $name page', ({ html }) => {
  expect(html).not.toContain('<script')
  expect(html).not.toContain("alert('x')")
  expect(html).toContain(escapeHtml(NASTY))
})

test('the policy allows neither inline script nor inline style, and the pages need none', () => {
  for (const html of [signInPage({ formToken: 't', next: '/' }), claimPage({ formToken: 't', token: 'c' })]) {
    expect(html).not.toMatch(/<script|<style|\sstyle=|\son\w+=/)
  }
})

test('a form that is no form counts as empty', () => {
  const empty = { email: '', password: '', next: '', form_token: '' }
  expect(SignInForm.parse(undefined)).toEqual(empty)
  expect(SignInForm.parse({ email: ['a', 'b'], password: 7 })).toEqual(empty)
})

const form = (changes: Partial<ClaimForm> = {}): ClaimForm => ({
  ...{ email: 'me@farm.example', password: 'long enough', password_again: 'long enough', token: 't', form_token: 'f' },
  ...changes,
})

test.each([
  { name: 'a good form', from: form(), problem: undefined },
  { name: 'blanks around the address', from: form({ email: ' me@farm.example ' }), problem: undefined },
  { name: 'no address', from: form({ email: 'me' }), problem: 'This is not an e-mail address.' },
  {
    name: 'a short password',
    from: form({ password: '1234567' }),
    problem: 'The password needs at least 8 characters.',
  },
  {
    name: 'a huge password',
    from: form({ password: 'x'.repeat(257) }),
    problem: 'The password is too long; 256 characters are the most.',
  },
  { name: 'a slip', from: form({ password_again: 'long enouhg' }), problem: 'The two passwords differ.' },
])('claim form: $name', ({ from, problem }) => {
  expect(problemOfClaim(from)).toBe(problem)
})

test.each([
  { seconds: 1, words: 'a second' },
  { seconds: 30, words: '30 seconds' },
  { seconds: 60, words: 'a minute' },
  { seconds: 61, words: '2 minutes' },
])('$seconds s is $words', ({ seconds, words }) => {
  expect(waitInWords(seconds)).toBe(words)
})
