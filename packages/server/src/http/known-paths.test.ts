import { expect, test } from 'vitest'
import { KnownPaths } from './known-paths.js'

const known = new KnownPaths()
known.add('/api/things/', ['GET', 'HEAD'])
known.add('/api/things', ['POST'])
known.add('/api/things/:id/', ['PATCH'])
known.add('/api/things/stats/', ['GET'])
known.add('/a.json', ['GET'])
known.add('/media/*', ['GET'])
known.add('/', ['GET'])

test.each([
  { path: '/api/things/', methods: ['GET', 'HEAD', 'POST'] },
  { path: '/api/things', methods: ['GET', 'HEAD', 'POST'] },
  { path: '/api/things/7/', methods: ['PATCH'] },
  { path: '/api/things/stats', methods: ['GET', 'PATCH'] },
  { path: '/api/things/7/more/', methods: [] },
  { path: '/a.json', methods: ['GET'] },
  { path: '/axjson', methods: [] },
  { path: '/media/x', methods: [] },
  { path: '/', methods: ['GET'] },
  { path: '/nothing', methods: [] },
])('$path answers $methods', ({ path, methods }) => {
  expect(known.methodsOf(path)).toEqual(methods)
})

test('a path that is called so itself is told from one that a pattern covers', () => {
  expect(known.methodsOfExactly('/api/things/stats/')).toEqual(['GET'])
  expect(known.methodsOfExactly('/api/things/7/')).toEqual([])
})
