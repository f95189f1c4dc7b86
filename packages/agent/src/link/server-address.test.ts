import { expect, test } from 'vitest'
import { linkPage, reachablePage, serverAddresses } from './server-address.js'

test.each([
  { typed: 'http://192.168.1.20:3334', addresses: ['http://192.168.1.20:3334'] },
  { typed: ' http://192.168.1.20:3334/ ', addresses: ['http://192.168.1.20:3334'] },
  { typed: '192.168.1.20:8080', addresses: ['http://192.168.1.20:8080'] },
  { typed: 'farm.local', addresses: ['http://farm.local:3334', 'http://farm.local', 'https://farm.local'] },
  { typed: 'http://farm.local', addresses: ['http://farm.local', 'http://farm.local:3334'] },
  { typed: 'http://farm.local:80', addresses: ['http://farm.local'] },
  { typed: 'https://watch.example.org', addresses: ['https://watch.example.org'] },
  { typed: 'https://example.org/printwarden/', addresses: ['https://example.org/printwarden'] },
  { typed: '[fd00::2]:3334', addresses: ['http://[fd00::2]:3334'] },
  { typed: '', addresses: [] },
  { typed: 'ftp://farm.local', addresses: [] },
  { typed: 'http://', addresses: [] },
  { typed: 'http://user:secret@farm.local', addresses: [] },
])('$typed', ({ typed, addresses }) => {
  expect(serverAddresses(typed)).toEqual(addresses)
})

test('the page has the code, and the printer that is linked anew', () => {
  expect(linkPage('http://a:3334', '012345')).toBe('http://a:3334/printers/new?code=012345')
  expect(linkPage('http://a:3334', '012345', 7)).toBe('http://a:3334/printers/new?code=012345&printer_id=7')
})

test.each([
  ['http://127.0.0.1:3334/x', '192.168.1.5', 'http://192.168.1.5:3334/x'],
  ['http://localhost:3334/x?code=1', '192.168.1.5', 'http://192.168.1.5:3334/x?code=1'],
  ['http://127.0.0.1:3334/x', undefined, 'http://127.0.0.1:3334/x'],
  ['http://farm.local:3334/x', '192.168.1.5', 'http://farm.local:3334/x'],
])('%s with own address %s is shown as %s', (page, own, shown) => {
  expect(reachablePage(page, own)).toBe(shown)
})
