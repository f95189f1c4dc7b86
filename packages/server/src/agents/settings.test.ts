import { expect, test } from 'vitest'
import { isSameAgent, mergeSettings } from './settings.js'

const stored = (settings: object) => ({ agent_name: 'old', agent_version: '1', settings: JSON.stringify(settings) })
const agent = { name: 'printwarden-agent', version: '2' }

test.each([
  { name: 'the first report is kept whole', before: {}, report: { webcams: [], agent }, after: { webcams: [], agent } },
  { name: 'a key that is left out stays', before: { webcams: [1] }, report: { agent }, after: { webcams: [1], agent } },
  {
    name: 'a key is replaced, not mixed',
    before: { temperature: { profiles: [{ a: 1 }] } },
    report: { temperature: { profiles: [] }, agent },
    after: { temperature: { profiles: [] }, agent },
  },
  {
    name: 'null says nothing',
    before: { data_channel_id: 3 },
    report: { data_channel_id: null, agent },
    after: { data_channel_id: 3, agent },
  },
  {
    name: 'unknown keys are kept',
    before: {},
    report: { shiny: { new: true }, agent },
    after: { shiny: { new: true }, agent },
  },
])('$name', ({ before, report, after }) => {
  const merged = mergeSettings(stored(before), report)
  expect(JSON.parse(merged.settings)).toEqual(after)
  expect(merged).toMatchObject({ agent_name: 'printwarden-agent', agent_version: '2' })
})

test('what is stored but broken counts as nothing', () => {
  for (const settings of ['', 'null', '[]', '{"a":']) {
    expect(mergeSettings({ agent_name: null, agent_version: null, settings }, { agent }).settings).toBe(
      JSON.stringify({ agent }),
    )
  }
})

test('names fit their columns', () => {
  const merged = mergeSettings(stored({}), { agent: { name: `a\0${'b'.repeat(100)}`, version: 'v'.repeat(100) } })
  expect(merged.agent_name).toBe(`a${'b'.repeat(63)}`)
  expect(merged.agent_version).toHaveLength(64)
})

test('the same report again is the same', () => {
  const once = mergeSettings(stored({}), { webcams: [], agent })
  expect(isSameAgent(once, mergeSettings(once, { webcams: [], agent }))).toBe(true)
  expect(isSameAgent(once, mergeSettings(once, { webcams: [], agent: { ...agent, version: '3' } }))).toBe(false)
})

test('a key named like the prototype is only a key', () => {
  const report = JSON.parse('{"__proto__":{"admin":true},"agent":{"name":"a","version":"1"}}')
  mergeSettings(stored({}), report)
  expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false)
})
