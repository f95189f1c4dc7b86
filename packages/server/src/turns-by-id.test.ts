import { expect, test } from 'vitest'
import { TurnsById } from './turns-by-id.js'

/** Work that ends when it is told to. */
function held(name: string, said: string[]) {
  let end: (err?: Error) => void = () => {}
  const work = (): Promise<void> => {
    said.push(`${name} begins`)
    return new Promise((resolve, reject) => {
      end = (err) => {
        said.push(`${name} ends`)
        if (err === undefined) resolve()
        else reject(err)
      }
    })
  }
  return { work, end: (err?: Error) => end(err) }
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

test('work of one printer runs in order, of another at the same time', async () => {
  const said: string[] = []
  const turns = new TurnsById()
  const [first, second, other] = [held('first', said), held('second', said), held('other', said)]
  const runs = [turns.run(1, first.work), turns.run(1, second.work), turns.run(2, other.work)]
  await settle()
  expect(said).toEqual(['first begins', 'other begins'])
  first.end()
  await settle()
  expect(said).toEqual(['first begins', 'other begins', 'first ends', 'second begins'])
  second.end()
  other.end()
  await Promise.all(runs)
})

test('a failure reaches who gave the work, and nobody else', async () => {
  const turns = new TurnsById()
  const failed = turns.run(1, () => Promise.reject(new Error('no')))
  const next = turns.run(1, async () => {})
  await expect(failed).rejects.toThrow('no')
  await expect(next).resolves.toBeUndefined()
})

test('the end of all is waited for', async () => {
  const said: string[] = []
  const turns = new TurnsById()
  const work = held('work', said)
  const run = turns.run(1, work.work)
  const ended = turns.ended().then(() => said.push('all ended'))
  await settle()
  expect(said).toEqual(['work begins'])
  work.end()
  await Promise.all([run, ended])
  expect(said).toEqual(['work begins', 'work ends', 'all ended'])
})
