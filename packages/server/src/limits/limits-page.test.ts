import { readFileSync } from 'node:fs'
import { endpoints } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { COSTS } from '../http/request-cost.js'
import { limitsPage } from './limits-page.js'
import { DEFAULT_LIMITS } from './settings.js'

test('docs/limits.md is what the code holds to', () => {
  expect(readFileSync(new URL('../../../../docs/limits.md', import.meta.url), 'utf8')).toBe(limitsPage())
})

test('every limit that can be changed stands there once', () => {
  for (const name of Object.keys(DEFAULT_LIMITS)) expect(limitsPage().split(`| \`${name}\` |`)).toHaveLength(2)
})

test('what costs more is an operation that there is', () => {
  const ids = Object.values(endpoints).map(({ id }) => id)
  expect(Object.keys(COSTS).filter((id) => !ids.includes(id))).toEqual([])
})
