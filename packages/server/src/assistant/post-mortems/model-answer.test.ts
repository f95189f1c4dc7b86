import { describe, expect, test } from 'vitest'
import { checkedCitations } from './citations.js'
import { readVerdict } from './model-answer.js'

const KNOWN = new Set([1, 2, 3, 5])

describe('checkedCitations', () => {
  test.each([
    { name: 'none', text: 'It came loose.', checked: 'It came loose.', cited: [] },
    { name: 'some', text: 'It came loose [2] and [5].', checked: 'It came loose [2] and [5].', cited: [2, 5] },
    { name: 'one that is not there', text: 'It came loose [4].', checked: 'It came loose.', cited: [] },
    { name: 'a list with one that is not', text: 'Loose [2, 4,5].', checked: 'Loose [2][5].', cited: [2, 5] },
    { name: 'a range', text: 'Loose [2-5].', checked: 'Loose [2][3][5].', cited: [2, 3, 5] },
    { name: 'a range without end', text: 'Loose [1–9999].', checked: 'Loose.', cited: [] },
    { name: 'one twice', text: '[1] and [1]', checked: '[1] and [1]', cited: [1] },
    { name: 'other brackets', text: 'Set [0.2] or [a] or [-1].', checked: 'Set [0.2] or [a] or [-1].', cited: [] },
    { name: 'a zero', text: 'No [0].', checked: 'No.', cited: [] },
  ])('$name', ({ text, checked, cited }) => {
    expect(checkedCitations(text, KNOWN)).toEqual({ text: checked, cited })
  })

  test('many brackets take no time', () => {
    const begun = performance.now()
    checkedCitations(`${'[1,'.repeat(50_000)}${' '.repeat(50_000)}[`, KNOWN)
    expect(performance.now() - begun).toBeLessThan(2000)
  })
})

describe('readVerdict', () => {
  const good = { cause: 'Loose', certainty: 'likely', answer: 'It came loose [2].', advice: ['Clean the bed [3].'] }
  test.each([
    {
      name: 'with words around',
      said: `Sure!\n\`\`\`json\n${JSON.stringify(good)}\n\`\`\``,
      verdict: { ...good, cited: new Set([2, 3]) },
    },
    {
      name: 'without advice',
      said: JSON.stringify({ ...good, advice: undefined }),
      verdict: { ...good, advice: [], cited: new Set([2]) },
    },
    {
      name: 'with signs that are not seen, on lines',
      said: JSON.stringify({
        ...good,
        cause: 'Lo\0ose',
        answer: 'It\0 came\r\nloose\u202e [2].\0',
        advice: ['Cl\0ean', '\ud83d!'],
      }),
      verdict: {
        ...good,
        cause: 'Lo ose',
        answer: 'It  came\nloose [2].',
        advice: ['Cl ean', '!'],
        cited: new Set([2]),
      },
    },
    { name: 'an answer that nobody sees', said: JSON.stringify({ ...good, answer: '\0\u200b' }), verdict: undefined },
    { name: 'another certainty', said: JSON.stringify({ ...good, certainty: 'sure' }), verdict: undefined },
    { name: 'no answer', said: JSON.stringify({ ...good, answer: ' ' }), verdict: undefined },
    { name: 'nothing but a wrong citation', said: JSON.stringify({ ...good, answer: '[99]' }), verdict: undefined },
    { name: 'an answer without end', said: JSON.stringify({ ...good, answer: 'x'.repeat(8001) }), verdict: undefined },
    { name: 'no JSON', said: 'It came loose [2].', verdict: undefined },
    { name: 'a list', said: '[1]', verdict: undefined },
    {
      name: 'a long cause, on lines, with a citation',
      said: JSON.stringify({ ...good, cause: `Loose [2]\n${'x'.repeat(500)}` }),
      verdict: { ...good, cause: `Loose ${'x'.repeat(189)}…`, cited: new Set([2, 3]) },
    },
  ])('$name', ({ said, verdict }) => {
    expect(readVerdict(said, KNOWN)).toEqual(verdict)
  })
})
