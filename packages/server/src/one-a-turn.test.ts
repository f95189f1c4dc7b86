import { expect, test } from 'vitest'
import { OneATurn } from './one-a-turn.js'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('others have a turn between two pieces of work', async () => {
  const done: string[] = []
  const line = new OneATurn()
  for (const name of ['first', 'second', 'third']) line.add(() => done.push(name))
  expect(done).toEqual([])
  await turn()
  expect(done).toEqual(['first'])
  await turn()
  expect(done).toEqual(['first', 'second'])
  await turn()
  line.add(() => done.push('later'))
  await turn()
  expect(done).toEqual(['first', 'second', 'third', 'later'])
})
