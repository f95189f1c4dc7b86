import { expect, test } from 'vitest'
import { StatementNames } from './database-postgres-names.js'

function askOften(names: StatementNames, sql: string): string | undefined {
  names.nameOf(sql)
  names.nameOf(sql)
  return names.nameOf(sql)
}

test('a statement has a name once it was asked often, and keeps it', () => {
  const names = new StatementNames()
  expect(names.nameOf('select 1')).toBeUndefined()
  expect(names.nameOf('select 1')).toBeUndefined()
  expect(names.nameOf('select 1')).toBe('s1')
  expect(names.nameOf('select 1')).toBe('s1')
  expect(askOften(names, 'select 2')).toBe('s2')
})

test('what is forgotten gets another name', () => {
  const names = new StatementNames()
  askOften(names, 'select 1')
  names.forgetAll()
  expect(askOften(names, 'select 1')).toBe('s2')
})

test('there are no more names than plans that a connection may keep', () => {
  const names = new StatementNames()
  for (let i = 0; i < 100; i++) expect(askOften(names, `select ${i}`)).toBeDefined()
  expect(askOften(names, 'select one more')).toBeUndefined()
  expect(names.nameOf('select 0')).toBe('s1')
})
