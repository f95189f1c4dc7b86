import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

// What a model calls cannot reach what sends commands: not by a check that could be missed, but because nothing of it is imported.

const SOURCE = fileURLToPath(new URL('../../', import.meta.url))

/** Everything that a file brings along when it is loaded. */
function loadedBy(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  const imports = readFileSync(file, 'utf8').matchAll(/^(?:import|export)\s+(?!type\b)[^'"]*?from '(\.[^']+)'/gms)
  for (const [, path = ''] of imports) {
    const next = join(dirname(file), path.replace(/\.js$/, '.ts'))
    if (existsSync(next)) loadedBy(next, seen)
  }
  return seen
}

const SENDERS = [
  'printers/flow.ts',
  'printers/action-flow.ts',
  'printers/steering-flow.ts',
  'printers/notices.ts',
  'g-code/print-flow.ts',
]

const namesOf = (entry: string): string[] => [...loadedBy(join(SOURCE, entry))].map((file) => relative(SOURCE, file))

test('tools load nothing that sends commands or confirms proposals', () => {
  const loaded = namesOf('assistant/tools/toolbox.ts')
  expect(loaded).toContain('prints/listing-store.ts')
  for (const sender of [...SENDERS, 'assistant/proposals/confirm-flow.ts']) expect(loaded).not.toContain(sender)
})

test('the same look finds what does', () => {
  expect(namesOf('assistant/routes.ts')).toContain('assistant/proposals/confirm-flow.ts')
  expect(namesOf('printers/routes.ts')).toContain('printers/notices.ts')
})
