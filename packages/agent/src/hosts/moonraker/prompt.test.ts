import { expect, test } from 'vitest'
import { afterResponse, choicesOf, type Dialog, promptOf } from './prompt.js'

const after = (lines: readonly string[]): Dialog | undefined =>
  lines.reduce<Dialog | undefined>((dialog, line) => afterResponse(dialog, line, 'q'), undefined)

const BEGUN = ['// action:prompt_begin Which filament?', '// action:prompt_text It runs out.']
const BUTTONS = ['// action:prompt_button PLA|LOAD T=pla|primary', '// action:prompt_button UNLOAD']

test('a dialog is told when it is shown, with a way to close it', () => {
  expect(promptOf(after([...BEGUN, ...BUTTONS]))).toBeUndefined()
  expect(promptOf(after([...BEGUN, ...BUTTONS, '// action:prompt_show']))).toEqual({
    ...{ id: 'q', text: 'Which filament?\nIt runs out.' },
    choices: ['PLA', 'UNLOAD', 'Close'],
  })
})

test('a button has its G-code, or is it', () => {
  const dialog = after([...BEGUN, ...BUTTONS])
  expect(dialog && choicesOf(dialog).map(({ gCode }) => gCode)).toEqual([
    'LOAD T=pla',
    'UNLOAD',
    'RESPOND TYPE=command MSG="action:prompt_end"',
  ])
})

test('a dialog that brings its own way to close gets no second one', () => {
  const own = '// action:prompt_footer_button No|RESPOND TYPE=command MSG=action:prompt_end|error'
  expect(promptOf(after([...BEGUN, own, '// action:prompt_show']))?.choices).toEqual(['No'])
})

test.each([
  ['its end', [...BEGUN, '// action:prompt_show', '// action:prompt_end']],
  ['parts without a beginning', [...BUTTONS, '// action:prompt_show']],
  ['other answers', ['// Klipper state: Ready', 'ok', '!! error', '// action:paused']],
])('%s leave no dialog', (_, lines) => {
  expect(after(lines)).toBeUndefined()
})

test('another beginning is another dialog', () => {
  expect(promptOf(after([...BEGUN, '// action:prompt_show', '// action:prompt_begin Next']))).toBeUndefined()
})

test('a dialog that never ends does not grow for ever', () => {
  const lines = Array.from({ length: 200 }, () => BUTTONS[0] ?? '')
  expect(after([...BEGUN, ...lines])?.buttons).toHaveLength(50)
})
