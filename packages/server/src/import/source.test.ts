import { expect, test } from 'vitest'
import { sourceText } from './source.js'

test.each([
  { url: 'https://old.example', text: 'old.example#3' },
  { url: 'http://old.example/', text: 'old.example#3' },
  { url: 'https://OLD.example:443/', text: 'old.example#3' },
  { url: 'http://192.168.1.20:3334', text: '192.168.1.20:3334#3' },
  { url: 'https://old.example/farm/', text: 'old.example/farm#3' },
])('$url is $text', ({ url, text }) => {
  expect(sourceText({ url, user_id: 3 })).toBe(text)
})
