import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ROOT } from '../support/processes.js'

// docs/oauth.md: every code of it compiles as it stands there, and everything that it points to is there.

const run = promisify(execFile)
const text = readFileSync(join(ROOT, 'docs/oauth.md'), 'utf8')
const codes = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)

test('every code compiles', async () => {
  expect(codes.length).toBeGreaterThan(3)
  // Where the packages of the workspace are found, and no other check looks.
  const cache = join(ROOT, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'oauth-guide-'))
  try {
    const files = codes.map((_code, index) => `code-${index + 1}.ts`)
    for (const [index, code] of codes.entries())
      await writeFile(join(folder, files[index] ?? ''), `${code}\nexport {}\n`)
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    const compilerOptions = { noEmit: true, lib: ['ES2023', 'DOM'] }
    const config = { extends: join(ROOT, 'tsconfig.base.json'), compilerOptions, files }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder]).catch((error: { stdout: string }) => {
      throw new Error(error.stdout)
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}, 60_000)

test('every picture and file that it points to is there', () => {
  const targets = [...text.matchAll(/\]\(([^)#]+)\)/g)].map(([, target = '']) => target)
  expect(targets.length).toBeGreaterThan(6)
  expect(targets.filter((target) => !existsSync(join(ROOT, 'docs', target)))).toEqual([])
})
