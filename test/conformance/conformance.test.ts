import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runServerCommand, type ServerProgram, startServer, temporaryFolder } from '../support/processes.js'
import { allCases } from './src/all-cases.js'
import { CASE_TIMEOUT_MS, openRun, type Run } from './src/run.js'
import { readTarget } from './src/target.js'

// Our own server, as a process, against the kit that any server can be checked with.

const cases = await allCases()

test('every case has an id of its own', () => {
  const ids = cases.map(({ id }) => id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})

describe('the server keeps the rule', () => {
  let folder: { path: string; remove: () => Promise<void> }
  let server: ServerProgram
  let run: Run

  beforeAll(async () => {
    folder = await temporaryFolder()
    server = await startServer({ dataDir: join(folder.path, 'data') })
    const file = join(folder.path, 'target.json')
    await runServerCommand(server.url, ['seed', '--target', file])
    run = openRun(await readTarget(file))
  }, 120_000)

  afterAll(async () => {
    await server?.stop()
    await folder?.remove()
  })

  test.each(cases)(
    '$id: $title',
    async (one) => {
      const { error } = await run.runCase(one)
      if (error !== undefined) throw error
    },
    CASE_TIMEOUT_MS * 2,
  )
})
