import { SECURITY_EVENT_TYPES, type SecurityEvent } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { AcceptForm, PasswordForm, problemOfPassword, readEmail } from './account-forms.js'
import { acceptInvitationPage, confirmEmailPage, newPasswordPage, resetRequestPage } from './link-pages.js'
import { invitationMail, noticeMail, resetMail } from './mails.js'
import { escapeHtml } from './pages.js'
import { browserInWords, securityEventView } from './security-events.js'
import {
  accountHomePage,
  emailPage,
  eventsPage,
  invitationsPage,
  passwordPage,
  sessionsPage,
} from './settings-pages.js'
import { enrolPage, recoveryCodesPage, secondStepPage, twoStepPage } from './two-step-pages.js'

const NASTY = `"><script>alert('x')</script>&`
const AT = '2026-03-14T09:26:53.000Z'
const form = { formToken: NASTY, problem: NASTY, said: NASTY }

const event: SecurityEvent = {
  ...{ id: 1, type: 'sign_in_failed', title: NASTY, created_at: AT },
  ...{ ip_address: NASTY, user_agent: NASTY, subject: NASTY },
}
const session = {
  ...{ id: 1, created_at: AT, last_used_at: AT, expires_at: AT },
  ...{ ip_address: NASTY, user_agent: NASTY, is_current: false },
}
const invitation = { id: 1, email: NASTY, is_admin: true, created_at: AT, expires_at: AT }

const PAGES = [
  { name: 'account', html: accountHomePage({ email: NASTY, isAdmin: true, recoveryCodes: 3 }) },
  { name: 'password', html: passwordPage(form) },
  { name: 'e-mail', html: emailPage({ ...form, present: NASTY, wanted: NASTY, canMail: true }) },
  { name: 'sessions', html: sessionsPage([session], form, Date.parse(AT)) },
  { name: 'events', html: eventsPage([event], 7) },
  { name: 'invitations', html: invitationsPage([invitation], { ...form, made: NASTY }) },
  { name: 'second step', html: secondStepPage({ ...form, step: NASTY, next: NASTY }) },
  { name: 'two steps', html: twoStepPage({ ...form, recoveryCodes: 1 }) },
  { name: 'enrolment', html: enrolPage({ ...form, qrSvg: '<svg/>', typed: NASTY }) },
  { name: 'recovery codes', html: recoveryCodesPage([NASTY], NASTY) },
  { name: 'reset request', html: resetRequestPage({ ...form, email: NASTY, canMail: true }) },
  { name: 'new password', html: newPasswordPage({ ...form, token: NASTY }) },
  { name: 'confirm', html: confirmEmailPage({ ...form, token: NASTY, email: NASTY }) },
  {
    name: 'invitation',
    html: acceptInvitationPage({ ...form, token: NASTY, fixedEmail: null, email: NASTY, name: NASTY }),
  },
  { name: 'mail: reset', html: resetMail('me@a.example', `https://a.example/?${NASTY}`).html },
  { name: 'mail: invitation', html: invitationMail('me@a.example', `https://a.example/?${NASTY}`).html },
  { name: 'mail: notice', html: noticeMail('me@a.example', NASTY, 'https://a.example').html },
]

test.each(PAGES)('nothing that a stranger sent becomes markup: $name', ({ html }) => {
  expect(html).not.toContain('<script')
  expect(html).not.toContain("alert('x')")
  expect(html).toContain(escapeHtml(NASTY))
})

test.each(PAGES)('no inline script or style, every field has a label, every form its field: $name', ({ html }) => {
  expect(html.replaceAll(escapeHtml(NASTY), '')).not.toMatch(/<script|<style|\sstyle=|\son\w+=/)
  const outsideLabels = html.replaceAll(/<label[\s\S]*?<\/label>/g, '')
  expect(outsideLabels).not.toMatch(/<(input(?! type="hidden")|select|textarea)/)
  for (const [one] of html.matchAll(/<form[\s\S]*?<\/form>/g)) expect(one).toContain('name="form_token"')
})

test('every kind of event has words of its own', () => {
  const row = { id: 1, created_at: 0, ip_address: null, user_agent: null, subject: null }
  const titles = SECURITY_EVENT_TYPES.map((type) => securityEventView({ ...row, type }).title)
  expect(new Set(titles).size).toBe(SECURITY_EVENT_TYPES.length)
})

test.each([
  { agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', words: 'Firefox on Linux' },
  {
    agent: 'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/156.0 Safari/537.36 Edg/156.0',
    words: 'Edge on Windows',
  },
  {
    agent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1',
    words: 'Safari on iPhone',
  },
  { agent: 'curl/8.5', words: 'curl/8.5' },
  { agent: null, words: 'Unknown browser' },
])('$words', ({ agent, words }) => {
  expect(browserInWords(agent)).toBe(words)
})

test('a form that is no form counts as empty', () => {
  const empty = { form_token: '', old_password: '', password: '', password_again: '' }
  expect(PasswordForm.parse(undefined)).toEqual(empty)
  expect(PasswordForm.parse('x')).toEqual(empty)
  expect(PasswordForm.parse({ password: ['a', 'b'], old_password: 7, is_admin: 'true' })).toEqual(empty)
  expect(AcceptForm.parse({ is_admin: 'true', token: 'x'.repeat(3000) })).not.toHaveProperty('is_admin')
})

test.each([
  { password: 'short', again: 'short', problem: 'The password needs at least 8 characters.' },
  { password: 'x'.repeat(257), again: '', problem: 'The password is too long; 256 characters are the most.' },
  { password: 'long enough', again: 'long enouhg', problem: 'The two passwords differ.' },
  { password: 'long enough', again: 'long enough', problem: undefined },
])('a new password: $problem', ({ password, again, problem }) => {
  expect(problemOfPassword(password, again)).toBe(problem)
})

test.each([
  { text: ' Me@Farm.Example ', email: 'me@farm.example' },
  { text: 'me@farm.example\r\nBcc: x@y.example', email: undefined },
  { text: 'me', email: undefined },
])('an address: $text', ({ text, email }) => {
  expect(readEmail(text)).toBe(email)
})
