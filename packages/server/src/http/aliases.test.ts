import { expect, test } from 'vitest'
import { isUpstreamPath, pathsOf } from './aliases.js'

test.each([
  { path: '/api/v1/printers/', also: [] },
  { path: '/api/v1/prints/:id/', also: ['/api/v1/print/:id/'] },
  { path: '/api/v1/agent/pic/', also: ['/api/v1/octo/pic/'] },
  {
    path: '/api/v1/agent/printer/',
    also: ['/api/v1/agent/ping/', '/api/v1/octo/printer/', '/api/v1/octo/ping/'],
  },
  { path: '/api/v1/agent/link/', also: [] },
  { path: '/assistant/api/chats/:id/', also: ['/jusprin/api/chats/:id/'] },
  { path: '/assistant/', also: [] },
])('$path answers at $also too', ({ path, also }) => {
  expect(pathsOf(path)).toEqual([path, ...also])
})

test.each([
  { path: '/api/v1/octo/pic/', upstream: true },
  { path: '/api/v1/octo', upstream: true },
  { path: '/jusprin/api/me/', upstream: true },
  { path: '/api/v1/agent/pic/', upstream: false },
  { path: '/api/v1/octopus/', upstream: false },
  { path: '/assistant/api/me/', upstream: false },
  { path: '/x/api/v1/octo/pic/', upstream: false },
])('$path is only asked for by existing clients: $upstream', ({ path, upstream }) => {
  expect(isUpstreamPath(path)).toBe(upstream)
})
