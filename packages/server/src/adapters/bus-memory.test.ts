import { expect, test } from 'vitest'
import { busContract } from './bus.contract.js'
import { memoryBus } from './bus-memory.js'

const silent = { error() {}, warn() {}, info() {}, debug() {} }

busContract(async () => memoryBus(silent))

test("a handler's failure is logged with its subject", async () => {
  const logged: object[] = []
  const bus = memoryBus({ ...silent, error: (fields) => logged.push(fields) })
  bus.subscribe('a', () => {
    throw new Error('broken')
  })
  await bus.request('a', null, 1000)
  expect(logged).toMatchObject([{ subject: 'a', err: { message: 'broken' } }])
})
