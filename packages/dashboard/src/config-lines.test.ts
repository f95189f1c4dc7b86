import { expect, test } from 'vitest'
import { configLines, sectionName } from './config-lines.js'

test.each([
  ['Prusa MK4', 'prusa-mk4'],
  ['  Größe #2!  ', 'gro-e-2'],
  ['Élan', 'elan'],
  ['打印机', 'printer'],
  ['', 'printer'],
])('"%s" becomes [printer %s]', (name, section) => {
  expect(sectionName(name)).toBe(section)
})

test('the configuration names server, printer, token and camera', () => {
  const lines = configLines('http://192.168.1.20:3334', 'MK4', 'abc')
  expect(lines).toContain('[server]\nurl: http://192.168.1.20:3334\n')
  expect(lines).toContain('[printer mk4]\nauth_token: abc\nhost: octoprint\n')
  expect(lines).toContain('[camera mk4 main]\nsnapshot_url: ')
})
