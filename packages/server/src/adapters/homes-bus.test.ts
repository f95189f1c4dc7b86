import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { memoryBus } from './bus-memory.js'
import { busHomes } from './homes-bus.js'

const silent = { error() {}, warn() {}, info() {}, debug() {} }

/** Two nodes that hear each other. */
function twoNodes() {
  const bus = memoryBus(silent)
  return { one: busHomes(bus), two: busHomes(bus) }
}

test('a printer is at home where its agent is, and hears there what other nodes say', async () => {
  const { one, two } = twoNodes()
  const heard: unknown[] = []
  one.settle(7, (message) => void heard.push(message))
  expect([one.isElsewhere(7), two.isElsewhere(7)]).toEqual([false, true])
  expect(await two.send(7, { op: 'reset' })).toBe(true)
  expect(heard).toEqual([{ op: 'reset' }])
})

test('a printer without an agent has no home', async () => {
  const { one, two } = twoNodes()
  one.settle(8, () => {})
  expect(one.isElsewhere(7)).toBe(true)
  expect(await two.send(7, 'anything')).toBe(false)
})

test('while one socket replaces another the home stays', async () => {
  const { one, two } = twoNodes()
  const leaveFirst = one.settle(7, () => {})
  const leaveSecond = one.settle(7, () => {})
  leaveFirst()
  leaveFirst()
  expect(one.isElsewhere(7)).toBe(false)
  expect(await two.send(7, 'still there')).toBe(true)
  leaveSecond()
  expect(one.isElsewhere(7)).toBe(true)
  expect(await two.send(7, 'gone')).toBe(false)
})

test('what takes time at home is waited for where that is asked for, and otherwise not', async () => {
  const { one, two } = twoNodes()
  let isDone = false
  const work = async () => {
    await delay(30)
    isDone = true
  }
  const leave = one.settle(7, work)
  expect(await two.send(7, 'forget')).toBe(true)
  expect(isDone).toBe(true)
  leave()
  isDone = false
  one.settle(7, () => void work())
  expect(await two.send(7, 'frame')).toBe(true)
  expect(isDone).toBe(false)
})

test('what fails at home was not done there', async () => {
  const { one, two } = twoNodes()
  one.settle(7, () => Promise.reject(new Error('The database cannot be reached.')))
  expect(await two.send(7, 'forget')).toBe(false)
})
