import { expect, test } from 'vitest'
import { isSameRedirectUri, problemOfRedirectUri, withQuery } from './redirect-uri.js'

test.each([
  { uri: 'https://app.example/callback' },
  { uri: 'https://app.example/callback?tenant=1' },
  { uri: 'http://127.0.0.1:9099/callback' },
  { uri: 'http://[::1]/callback' },
  { uri: 'com.example.app:/callback' },
])('a public client may register $uri', ({ uri }) => {
  expect(problemOfRedirectUri(uri, 'public')).toBeUndefined()
})

test.each([
  { uri: '/callback', problem: /absolute/ },
  { uri: 'app.example/callback', problem: /absolute/ },
  { uri: '', problem: /absolute/ },
  { uri: 'https://app.example/call back', problem: /absolute/ },
  { uri: 'https://app.example/callback#', problem: /fragment/ },
  { uri: 'https://app.example/callback#part', problem: /fragment/ },
  { uri: 'https://me:secret@app.example/callback', problem: /password/ },
  { uri: 'javascript:alert(1)', problem: /javascript:/ },
  { uri: 'JavaScript:alert(1)', problem: /javascript:/ },
  { uri: 'data:text/html,hi', problem: /data:/ },
])('nobody may register $uri', ({ uri, problem }) => {
  expect(problemOfRedirectUri(uri, 'public')).toMatch(problem)
})

test("an app's own scheme is not for a confidential client", () => {
  expect(problemOfRedirectUri('com.example.app:/callback', 'confidential')).toMatch(/http/)
})

test.each([
  { uri: 'https://*.app.example/callback', problem: /\*/ },
  { uri: 'https:app.example/callback', problem: /absolute/ },
  { uri: 'https:\\\\app.example\\callback', problem: /absolute/ },
  { uri: 'https://app.example/büro', problem: /absolute/ },
  { uri: 'https://app.example/a\r\nb', problem: /absolute/ },
  { uri: 'blob:https://app.example/1', problem: /blob:/ },
])('nobody may register $uri', ({ uri, problem }) => {
  expect(problemOfRedirectUri(uri, 'public')).toMatch(problem)
})

const WEB = 'https://app.example/cb'
const LOOP = 'http://127.0.0.1:9099/callback'

test.each([
  { registered: WEB, given: WEB, same: true },
  { registered: WEB, given: 'https://app.example/cb/', same: false },
  { registered: WEB, given: 'https://app.example/CB', same: false },
  { registered: WEB, given: 'https://APP.example/cb', same: false },
  { registered: WEB, given: 'HTTPS://app.example/cb', same: false },
  { registered: WEB, given: 'http://app.example/cb', same: false },
  { registered: WEB, given: 'https://app.example:443/cb', same: false },
  { registered: WEB, given: 'https://app.example:8443/cb', same: false },
  { registered: WEB, given: 'https://app.example/cb?next=//evil.example', same: false },
  { registered: WEB, given: 'https://app.example/cb#fragment', same: false },
  { registered: WEB, given: 'https://app.example/x/../cb', same: false },
  { registered: WEB, given: 'https://app.example/%63b', same: false },
  { registered: WEB, given: 'https://app.example/%2e%2e/cb', same: false },
  { registered: WEB, given: 'https://app.example@evil.example/cb', same: false },
  { registered: WEB, given: 'https://user@app.example/cb', same: false },
  { registered: WEB, given: 'https://sub.app.example/cb', same: false },
  { registered: WEB, given: 'https://app.example.evil.example/cb', same: false },
  { registered: WEB, given: 'https://app.example\\@evil.example/cb', same: false },
  { registered: WEB, given: ' https://app.example/cb', same: false },
  { registered: WEB, given: '//app.example/cb', same: false },
  { registered: LOOP, given: 'http://127.0.0.1:1/callback', same: true },
  { registered: LOOP, given: 'http://127.0.0.1:65535/callback', same: true },
  { registered: LOOP, given: 'http://127.0.0.1/callback', same: true },
  { registered: 'http://[::1]/cb?x=1', given: 'http://[::1]:8123/cb?x=1', same: true },
  { registered: LOOP, given: 'http://127.0.0.1:0/callback', same: false },
  { registered: LOOP, given: 'http://127.0.0.1:65536/callback', same: false },
  { registered: LOOP, given: 'http://127.0.0.1:80@evil.example/callback', same: false },
  { registered: LOOP, given: 'http://127.0.0.1:80.evil.example/callback', same: false },
  { registered: LOOP, given: 'http://127.0.0.1.evil.example:80/callback', same: false },
  { registered: LOOP, given: 'http://localhost:9099/callback', same: false },
  { registered: LOOP, given: 'http://[::1]:9099/callback', same: false },
  { registered: LOOP, given: 'https://127.0.0.1:9099/callback', same: false },
  { registered: LOOP, given: 'http://127.0.0.1:9099/callback/', same: false },
  { registered: LOOP, given: 'http://127.0.0.1:9099/callback?a=b', same: false },
  { registered: LOOP, given: 'http://127.0.0.1:/callback', same: false },
  { registered: LOOP, given: 'http://127.1:9099/callback', same: false },
  { registered: 'http://localhost:3000/cb', given: 'http://localhost:3001/cb', same: false },
  { registered: 'https://127.0.0.1/cb', given: 'https://127.0.0.1:8443/cb', same: false },
])('registered $registered, given $given: $same', ({ registered, given, same }) => {
  expect(isSameRedirectUri(registered, given)).toBe(same)
})

test.each([
  { uri: 'https://a.example/cb', location: 'https://a.example/cb?code=a+b&iss=i' },
  { uri: 'https://a.example/cb?x=1', location: 'https://a.example/cb?x=1&code=a+b&iss=i' },
  { uri: 'https://a.example/cb?', location: 'https://a.example/cb?code=a+b&iss=i' },
  { uri: 'com.example.app:/cb', location: 'com.example.app:/cb?code=a+b&iss=i' },
])('the answer is added to $uri', ({ uri, location }) => {
  expect(withQuery(uri, { code: 'a b', state: undefined, iss: 'i' })).toBe(location)
})
