import { expect, test } from 'vitest'
import { afterAction, choiceToGoOn, type Prompt } from './actions.js'

const play = (actions: readonly [string, string][]): Prompt | undefined =>
  actions.reduce<Prompt | undefined>((prompt, [action, text]) => afterAction(prompt, action, text, 'q'), undefined)

const ASKED: [string, string][] = [
  ['prompt_begin', 'Nozzle parked'],
  ['prompt_button', 'Purge more'],
  ['prompt_choice', 'Continue'],
]

test('a question is put together line by line, and shown at the end', () => {
  expect(play(ASKED)).toEqual({
    ...{ id: 'q', message: 'Nozzle parked' },
    ...{ choices: ['Purge more', 'Continue'], isShown: false },
  })
  expect(play([...ASKED, ['prompt_show', '']])?.isShown).toBe(true)
  expect(play([...ASKED, ['notification', 'Hi']])).toEqual(play(ASKED))
  expect(play([...ASKED, ['prompt_end', '']])).toBeUndefined()
})

test('choices without a question are nothing', () => {
  expect(
    play([
      ['prompt_button', 'Yes'],
      ['prompt_show', ''],
    ]),
  ).toBeUndefined()
})

test.each([
  [['Purge more', 'Continue'], 1],
  [['Reheat'], 0],
  [['No', 'Yes'], 1],
  [['Left', 'Right'], 0],
  [[], 0],
])('of %j number %i lets the print go on', (choices, number) => {
  expect(choiceToGoOn({ choices })).toBe(number)
})
