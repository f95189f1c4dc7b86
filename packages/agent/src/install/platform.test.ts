import { expect, test } from 'vitest'
import { platformProblems } from './platform.js'

test.each([
  ['arm64', '20.19.0', []],
  ['x64', '24.1.0', []],
  ['arm', '20.19.0', ['this is a 32-bit system, which the agent does not support']],
  ['riscv64', '22.0.0', ['this is a riscv64 system, which the agent does not support']],
  ['arm64', '20.18.3', ['Node 20.18.3 is too old: it must be 20.19 or newer']],
  ['arm64', '18.20.0', ['Node 18.20.0 is too old: it must be 20.19 or newer']],
  [
    'arm',
    '12.22.12',
    [
      'this is a 32-bit system, which the agent does not support',
      'Node 12.22.12 is too old: it must be 20.19 or newer',
    ],
  ],
])('%s with Node %s', (arch, node, texts) => {
  expect(platformProblems(arch, node).map(({ text }) => text)).toEqual(texts)
})
