import type { Chat } from '@printwarden/sdk'
import { expect, test } from 'vitest'
import { answerTurn, chatTitle, isOurs, keptTurns, readTurns, sentTurns, type Turn } from './turns.js'

const asked = (content: string): Turn => ({ role: 'user', content })
const answered = (content: string): Turn => answerTurn({ role: 'assistant', content })
const chat = (messages: string, changes: Partial<Chat> = {}): Chat => ({
  id: 1,
  messages,
  machine_name: null,
  filament_name: null,
  print_process_name: null,
  slicing_settings_json: null,
  user_feedback: null,
  user_feedback_text: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  ...changes,
})

test('what is kept is read as it was', () => {
  const turns = [
    asked('Why?'),
    answerTurn({
      role: 'assistant',
      content: 'So.',
      looked_at: [{ tool: 'list_prints', about: 'the prints of Left' }],
    }),
  ]
  expect(readTurns({ messages: keptTurns(turns) })).toEqual(turns)
})

test('a long conversation is kept from its end', () => {
  const turns = [asked('a'.repeat(100_000)), answered('b'.repeat(100_000)), asked('c'), answered('d')]
  expect(readTurns({ messages: keptTurns(turns) })).toEqual(turns.slice(1))
})

test.each([
  { name: 'all of a short one', turns: [asked('a'), answered('b'), asked('c')], sent: ['a', 'b', 'c'] },
  { name: 'a question of any length', turns: [asked('a'.repeat(90_000))], sent: ['a'.repeat(90_000)] },
  {
    name: 'the end of a long one, from a question on',
    turns: [
      asked('a'.repeat(30_000)),
      answered('b'.repeat(20_000)),
      asked('c'.repeat(20_000)),
      answered('d'),
      asked('e'),
    ],
    sent: ['c'.repeat(20_000), 'd', 'e'],
  },
  { name: 'no empty answer', turns: [asked('a'), answered(''), asked('b')], sent: ['a', 'b'] },
])('$name is sent', ({ turns, sent }) => {
  expect(sentTurns(turns).map(({ content }) => content)).toEqual(sent)
})

test.each([
  { name: 'no JSON', messages: 'hello', turns: undefined },
  { name: 'no list', messages: '{}', turns: undefined },
  { name: 'turns of another form', messages: '[{"text":"hello"}]', turns: undefined },
  { name: 'a system turn', messages: '[{"role":"system","content":"x"}]', turns: undefined },
  {
    name: 'an answer with odd things in it',
    messages: '[{"role":"assistant","content":"a","looked_at":[1],"pictures":{},"proposals":[{"id":1}]}]',
    turns: [answered('a')],
  },
])('$name', ({ messages, turns }) => {
  expect(readTurns({ messages })).toEqual(turns)
})

test.each([
  [chat('[{"role":"user","content":" Why does\\n it warp? "}]'), 'Why does it warp?', true],
  [chat('[{"role":"user","content":"Fine"}]', { machine_name: 'A1' }), 'Fine', false],
  [chat('"of another program"'), 'Conversation', false],
  [chat(`[{"role":"user","content":"${'a'.repeat(100)}"}]`), `${'a'.repeat(79)}…`, true],
])('%#: a chat is called %s', (given, title, ours) => {
  expect(chatTitle(given)).toBe(title)
  expect(isOurs(given)).toBe(ours)
})
