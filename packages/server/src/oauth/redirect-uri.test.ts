import { expect, test } from 'vitest'
import { problemOfRedirectUri } from './redirect-uri.js'

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
