import { expect, test } from 'vitest'
import { nextPage } from './next-page.js'

test.each([
  { next: undefined, to: '/' },
  { next: '', to: '/' },
  { next: '/', to: '/' },
  { next: '/printers/7/?tab=settings#camera', to: '/printers/7/?tab=settings#camera' },
  {
    next: '/o/authorize/?redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=a%20b',
    to: '/o/authorize/?redirect_uri=https%3A%2F%2Fapp.example%2Fcb&state=a%20b',
  },
  { next: '/drucker/büro/', to: '/drucker/b%C3%BCro/' },
  { next: 'https://evil.example/', to: '/' },
  { next: '//evil.example/', to: '/' },
  { next: '///evil.example/', to: '/' },
  { next: '/\\evil.example/', to: '/' },
  { next: '\\/evil.example/', to: '/' },
  { next: '/a\\b', to: '/' },
  { next: '/\t/evil.example/', to: '/' },
  { next: '/\n/evil.example/', to: '/' },
  { next: ' /printers/', to: '/' },
  { next: '/.//evil.example/', to: '/' },
  { next: '/a/..//evil.example/', to: '/' },
  { next: 'javascript:alert(1)', to: '/' },
  { next: 'printers/', to: '/' },
  { next: '/ok\u0000', to: '/' },
])('$next leads to $to', ({ next, to }) => {
  expect(nextPage(next)).toBe(to)
})
