import { expect, test } from 'vitest'
import { wordsOf } from './words.js'

test.each([
  { tag: undefined, language: 'English' },
  { tag: 'en', language: 'English' },
  { tag: 'de-AT', language: 'German' },
  { tag: 'pt', language: 'Brazilian Portuguese' },
  { tag: 'PT-br', language: 'Brazilian Portuguese' },
  { tag: 'zh', language: 'Simplified Chinese' },
  { tag: 'zh_CN', language: 'Simplified Chinese' },
  { tag: 'zh-Hant', language: 'Traditional Chinese' },
  { tag: 'zh-HK', language: 'Traditional Chinese' },
  { tag: 'xx', language: 'English' },
  { tag: '__proto__', language: 'English' },
  { tag: 'constructor', language: 'English' },
])('$tag is $language', ({ tag, language }) => {
  expect(wordsOf(tag).language).toBe(language)
})
