import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runServerCommand, type ServerProgram, startServer, temporaryFolder } from '../../support/processes.js'
import { allCases } from '../src/all-cases.js'
import { CASE_TIMEOUT_MS, openRun } from '../src/run.js'
import { readTarget } from '../src/target.js'
import { allMutations } from './all-mutations.js'
import { openProxy, type Proxy } from './proxy.js'
import { catchingCases } from './verdict.js'

// Does the kit notice anything? A proxy before our own server breaks one rule at a time; each must be caught by a case that passes
// when nothing is broken.

/** Some cases delete printers, so a target lasts for so many mutations. */
const MUTATIONS_PER_TARGET = 20

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

  /** What the case says; undefined when it passed. */
  async function failure({ target }: Proxy, id: string, timeoutMs: number): Promise<string | undefined> {
    const one = cases.get(id)
    if (one === undefined) throw new Error(`there is no case ${id}`)
    return (await openRun(target, { timeoutMs }).runCase(one)).error?.message
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
    const sound = await freshProxy()
    const failed: string[] = []
    for (const id of named) {
      const what = await failure(sound, id, CASE_TIMEOUT_MS)
      if (what !== undefined) failed.push(`${id}: ${what}`)
    }
    expect(failed).toEqual([])
  }, 300_000)

  test.each(allMutations)(
    '$id is noticed: $breaks',
    async ({ id, cases: ids, hooks }) => {
      const broken = await freshProxy()
      const by = await catchingCases(ids, async (one, isBroken, limitMs) => {
        broken.mutate(isBroken ? hooks() : {})
        return failure(broken, one, limitMs)
      })
      broken.mutate({})
      caught.set(id, by)
      expect(by).not.toEqual([])
    },
    300_000,
  )
})
