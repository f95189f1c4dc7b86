import { expect, test } from 'vitest'
import type { Finding } from './checks.js'
import { diskFinding, moonrakerFindings, platformFindings, secretFinding, unitFinding } from './checks-machine.js'

/** `good`, `odd` (works, with something to mend) or `bad`, and the text. */
const told = ({ ok, text, mend }: Finding): string => `${ok ? (mend === undefined ? 'good' : 'odd') : 'bad'}: ${text}`

test.each([
  [0o100600, 'good: only their owner may read /a.cfg'],
  [0o400, 'good: only their owner may read /a.cfg'],
  [0o100644, 'odd: others on this machine may read /a.cfg, with the tokens in it'],
  [0o640, 'odd: others on this machine may read /a.cfg, with the tokens in it'],
])('a file of mode %o', (mode, text) => {
  expect(told(secretFinding('/a.cfg', mode))).toBe(text)
})

test.each([
  [2 * 1024 ** 3, 'good: 2048 MiB are free'],
  [200 * 1024 ** 2, 'odd: 200 MiB are free'],
  [1024 ** 2, 'bad: 1 MiB are free'],
])('%d bytes free', (bytes, text) => {
  expect(told(diskFinding(bytes))).toBe(text)
})

test.each([
  [undefined, '', '', 'odd: none is installed, so the agent does not start by itself'],
  ['system', 'active', 'enabled', 'good: active, starts with this machine'],
  ['user', 'active', 'disabled', 'odd: active, but does not start with this machine'],
  ['system', 'failed', 'enabled', 'bad: it is failed'],
  ['system', 'inactive', 'enabled', 'bad: it is inactive'],
  ['system', 'unknown', '', 'odd: systemd does not answer'],
] as const)('a unit of the %s that is %s and %s', (scope, active, enabled, text) => {
  expect(told(unitFinding({ scope, active, enabled }))).toBe(text)
})

test("the mend of a user's unit is for the user", () => {
  expect(unitFinding({ scope: 'user', active: 'failed', enabled: 'enabled' }).mend).toContain(
    'systemctl --user restart',
  )
})

const INCLUDE = '[include printwarden-agent.moonraker.conf]\n'

test.each([
  { name: 'nothing was told', conf: '', services: '', hasSection: false, isSystem: false, texts: [] },
  {
    name: 'all was told',
    conf: INCLUDE,
    services: 'printwarden-agent\n',
    hasSection: true,
    isSystem: true,
    texts: ['good: shows updates of the agent'],
  },
  {
    name: 'the include leads nowhere',
    conf: INCLUDE,
    services: undefined,
    hasSection: false,
    isSystem: true,
    texts: [
      'bad: moonraker.conf includes printwarden-agent.moonraker.conf, which is not there: Moonraker will not start',
    ],
  },
  {
    name: 'the service may not be restarted',
    conf: '',
    services: 'klipper\n',
    hasSection: false,
    isSystem: true,
    texts: ['odd: may not restart the agent'],
  },
])('Moonraker: $name', ({ conf, services, hasSection, isSystem, texts }) => {
  expect(moonrakerFindings({ conf, services, hasSection }, isSystem).map(told)).toEqual(texts)
})

test('an old Node and a 32-bit system are told with what to do', () => {
  expect(platformFindings('arm64', '22.1.0').map(told)).toEqual(['good: Node 22.1.0 on arm64'])
  expect(platformFindings('arm', '18.1.0').every(({ ok, mend }) => !ok && mend !== undefined)).toBe(true)
})
