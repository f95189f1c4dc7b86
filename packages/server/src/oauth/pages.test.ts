import type { OAuthApp } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { escapeHtml } from '../users/pages.js'
import { connectedAppsPage, tokensPage } from './account-pages.js'
import { appPage, appsPage, newAppPage, questionPage } from './developer-pages.js'
import { readAppForm, readTokenForm } from './forms.js'
import { authorizationErrorPage, consentPage, deviceCodePage, outlookText } from './pages.js'

const NASTY = `"><script>alert('x')</script>&`
const NOW = 1_800_000_000_000
const AT = new Date(NOW).toISOString()

const shown: OAuthApp = {
  ...{ id: 7, client_id: NASTY, name: NASTY, description: NASTY, redirect_uris: [NASTY], require_pkce: false },
  ...{ created_at: AT, owner: NASTY, user_count: 1, last_used_at: AT },
  type: 'confidential',
}
const form = { name: NASTY, description: NASTY, redirect_uris: NASTY, type: NASTY, form_token: '' }
const state = { form, formToken: NASTY, problems: [{ field: 'name', text: NASTY }] }
const used = { scope: 'read write', connected_at: AT, created_at: AT, last_used_at: null, expires_at: AT }

const PAGES = [
  {
    name: 'consent',
    html: consentPage({
      ...{ app: { name: NASTY, description: NASTY, isSelfRegistered: true }, scopes: ['read', 'write'], email: NASTY },
      ...{ action: NASTY, fields: [[NASTY, NASTY]], again: NASTY, outlook: '', problem: NASTY },
    }),
  },
  { name: 'error', html: authorizationErrorPage(NASTY, NASTY) },
  { name: 'device', html: deviceCodePage({ formToken: NASTY, userCode: NASTY, problem: NASTY }) },
  { name: 'apps of a developer', html: appsPage([shown], { now: NOW, isAdmin: true, said: NASTY }) },
  { name: 'new app', html: newAppPage(state) },
  { name: 'app', html: appPage(shown, state, { now: NOW, secret: NASTY, said: NASTY }) },
  { name: 'question', html: questionPage(shown, 'delete', NASTY) },
  { name: 'connected apps', html: connectedAppsPage([{ ...shown, ...used }], NASTY, NOW, NASTY) },
  {
    name: 'tokens',
    html: tokensPage({
      ...{ tokens: [{ id: 1, name: NASTY, ...used }], formToken: NASTY, now: NOW },
      ...{ made: NASTY, problem: NASTY, name: NASTY, said: NASTY },
    }),
  },
]

test.each(PAGES)('nothing that a stranger sent becomes markup on the page: $name', ({ html }) => {
  expect(html).not.toContain('<script')
  expect(html).not.toContain("alert('x')")
  expect(html).toContain(escapeHtml(NASTY))
})

test.each(PAGES)('the policy allows neither inline script nor style, and this page needs none: $name', ({ html }) => {
  expect(html).not.toMatch(/<script|<style|\sstyle=|\son\w+=/)
})

test.each(PAGES)('every field has a label: $name', ({ html }) => {
  const withoutLabels = html.replaceAll(/<label.*?<\/label>/gs, '')
  expect(withoutLabels).not.toMatch(/<input type="(?!hidden)|<textarea|<select/)
})

test.each([
  { uri: 'https://app.example/cb?x=1', words: '<strong>app.example</strong>' },
  { uri: 'http://127.0.0.1:9099/cb', words: 'a program on this computer (<strong>127.0.0.1:9099</strong>)' },
  { uri: 'com.example.app:/cb', words: 'an app on this device (<strong>com.example.app:</strong>)' },
])('$uri leads to $words', ({ uri, words }) => {
  expect(outlookText(uri)).toContain(words)
})

const filled = { ...form, name: 'App', description: '', redirect_uris: ' https://a.example/cb \r\n\r\n' }

test('the form for an app reads one redirect URI from each line', () => {
  expect(readAppForm({ ...filled, redirect_uris: 'https://a.example/1\nhttps://a.example/2' }, 'public')).toEqual({
    app: {
      name: 'App',
      description: '',
      type: 'public',
      redirect_uris: ['https://a.example/1', 'https://a.example/2'],
    },
  })
  expect(readAppForm(filled, 'public')).toMatchObject({ app: { redirect_uris: ['https://a.example/cb'] } })
})

test.each([
  { name: 'no name', change: { name: ' ' }, type: 'public', field: 'name' },
  { name: 'a long description', change: { description: 'x'.repeat(1001) }, type: 'public', field: 'description' },
  { name: 'no type', change: {}, type: '', field: 'type' },
  { name: 'no redirect URI', change: { redirect_uris: '\n' }, type: 'public', field: 'redirect_uris' },
  { name: 'a bad redirect URI', change: { redirect_uris: 'nowhere' }, type: 'public', field: 'redirect_uris' },
])('the form for an app: $name', ({ change, type, field }) => {
  expect(readAppForm({ ...filled, ...change }, type)).toMatchObject({ problems: [{ field }] })
})

const token = { name: 'x', scope: 'read', expires_in_days: '30', form_token: '' }

test.each([
  { name: 'as it should be', change: {}, read: { name: 'x', scope: 'read', expires_in_days: 30 } },
  { name: 'for ever', change: { expires_in_days: '' }, read: { name: 'x', scope: 'read', expires_in_days: null } },
  { name: 'without a name', change: { name: '' }, read: undefined },
  { name: 'with a made-up scope', change: { scope: 'admin' }, read: undefined },
  { name: 'for half a day', change: { expires_in_days: '0.5' }, read: undefined },
  { name: 'for a thousand years', change: { expires_in_days: '365000' }, read: undefined },
])('the form for a token: $name', ({ change, read }) => {
  expect(readTokenForm({ ...token, ...change })).toEqual(read)
})
