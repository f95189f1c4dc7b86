import { expect, test } from 'vitest'
import { readAnalysis } from './analysis.js'

const GOOD = '{"analysis": "A tower.", "suggested_printing_method": "Use a brim."}'

test.each([
  { text: GOOD, isRead: true },
  { text: `\`\`\`json\n${GOOD}\n\`\`\``, isRead: true },
  { text: `Here it is: ${GOOD} Good luck!`, isRead: true },
  { text: '{"analysis": 3, "suggested_printing_method": "x"}', isRead: false },
  { text: '{"analysis": " ", "suggested_printing_method": "x"}', isRead: false },
  { text: '{"analysis": "x"', isRead: false },
  { text: '}{', isRead: false },
  { text: '', isRead: false },
])('$text', ({ text, isRead }) => {
  expect(readAnalysis(text) !== undefined).toBe(isRead)
})
