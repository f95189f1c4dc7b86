import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runServerCommand, type ServerProgram, startServer, temporaryFolder } from '../../support/processes.js'
import { allCases } from '../src/all-cases.js'
import { CASE_TIMEOUT_MS, openRun } from '../src/run.js'
import { readTarget } from '../src/target.js'
import { allMutations } from './all-mutations.js'
import { openProxy, type Proxy } from './proxy.js'

// Does the kit notice anything? A proxy before our own server breaks one rule at a time; each must be caught by a case that passes
// when nothing is broken.

/** A case that waits for what a broken server never does has failed after this. */
const BROKEN_TIMEOUT_MS = 3_000

/** Some cases delete printers, so a target lasts for so many mutations. */
const MUTATIONS_PER_TARGET = 30

const cases = new Map((await allCases()).map((one) => [one.id, one]))
const named = [...new Set(allMutations.flatMap((mutation) => mutation.cases))].sort()

test('mutations have ids of their own and name cases that there are', () => {
  const ids = allMutations.map(({ id }) => id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  expect(named.filter((id) => !cases.has(id))).toEqual([])
})

describe('a server that breaks one rule', () => {
  let folder: { path: string; remove: () => Promise<void> }
  let server: ServerProgram
  let proxy: Proxy | undefined
  let used = 0
  const caught = new Map<string, string[]>()

  /** A proxy with enough printers left. */
  async function freshProxy(): Promise<Proxy> {
    used += 1
    if (proxy !== undefined && used % MUTATIONS_PER_TARGET !== 0) return proxy
    await proxy?.close()
    const file = join(folder.path, `target-${used}.json`)
    await runServerCommand(server.url, ['seed', '--target', file])
    proxy = await openProxy(await readTarget(file))
    return proxy
  }

  async function failedCases({ target }: Proxy, ids: readonly string[], timeoutMs: number): Promise<string[]> {
    const run = openRun(target, { timeoutMs })
    const failed: string[] = []
    for (const id of ids) {
      const one = cases.get(id)
      if (one === undefined) continue
      const { error } = await run.runCase(one)
      if (error !== undefined) failed.push(`${id}: ${error.message}`)
    }
    return failed
  }

  beforeAll(async () => {
    folder = await temporaryFolder()
    server = await startServer({ dataDir: join(folder.path, 'data') })
  }, 120_000)

  afterAll(async () => {
    const survivors = allMutations.filter(({ id }) => (caught.get(id) ?? []).length === 0)
    const lines = [...caught].map(([id, by]) => `  ${id}: ${by.join(', ') || 'SURVIVED'}`)
    console.log(`mutations caught: ${caught.size - survivors.length}/${allMutations.length}\n${lines.join('\n')}`)
    await proxy?.close()
    await server?.stop()
    await folder?.remove()
  })

  test('nothing fails through the proxy while no rule is broken', async () => {
    expect(await failedCases(await freshProxy(), named, CASE_TIMEOUT_MS)).toEqual([])
  }, 300_000)

  test.each(allMutations)(
    '$id is noticed: $breaks',
    async (mutation) => {
      const broken = await freshProxy()
      broken.mutate(mutation.hooks())
      const failed = await failedCases(broken, mutation.cases, BROKEN_TIMEOUT_MS)
      broken.mutate({})
      caught.set(
        mutation.id,
        failed.map((text) => text.split(':')[0] ?? ''),
      )
      expect(failed).not.toEqual([])
    },
    120_000,
  )
})
