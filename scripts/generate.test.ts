import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

test('what is made from the protocol is as new as the protocol', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--conditions=x-source', '--import', 'tsx', at('scripts/generate.ts'), '--check'],
    { cwd: at(''), encoding: 'utf8' },
  )
  expect(stderr).toBe('')
  expect(status).toBe(0)
}, 60_000)
