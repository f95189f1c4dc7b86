import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ModelServer, startModelServer } from '../support/model-server.js'
import { runServerCommand, type ServerProgram, startServer, temporaryFolder } from '../support/processes.js'
import { allCases } from './src/all-cases.js'
import { type Case, CASE_TIMEOUT_MS, openRun, type Run } from './src/run.js'
import { readTarget } from './src/target.js'

// Our own server, as a process, against the kit that any server can be checked with: without a language model, and, for the cases
// about the assistant, with one.

const cases = await allCases()
const assistantCases = cases.filter(({ id }) => id.startsWith('assistant/'))

test('every case has an id of its own', () => {
  const ids = cases.map(({ id }) => id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})

interface Subject {
  run(): Run
  start(env?: Record<string, string>): Promise<void>
  stop(): Promise<void>
}

/** A server of its own, with what was made there for the run. */
function newSubject(): Subject {
  let folder: { path: string; remove: () => Promise<void> } | undefined
  let server: ServerProgram | undefined
  let run: Run | undefined
  return {
    run() {
      if (run === undefined) throw new Error('the server has not started')
      return run
    },
    async start(env = {}) {
      folder = await temporaryFolder()
      server = await startServer({ dataDir: join(folder.path, 'data'), env })
      const file = join(folder.path, 'target.json')
      await runServerCommand(server.url, ['seed', '--target', file])
      run = openRun(await readTarget(file))
    },
    async stop() {
      await server?.stop()
      await folder?.remove()
    },
  }
}

async function expectKept(subject: Subject, one: Case): Promise<void> {
  const { error } = await subject.run().runCase(one)
  if (error !== undefined) throw error
}

describe('the server keeps the rule', () => {
  const subject = newSubject()
  beforeAll(() => subject.start(), 120_000)
  afterAll(() => subject.stop())

  test.each(cases)('$id: $title', (one) => expectKept(subject, one), CASE_TIMEOUT_MS * 2)
})

describe('the server keeps the rule with a language model', () => {
  const subject = newSubject()
  let model: ModelServer
  beforeAll(async () => {
    model = await startModelServer()
    await subject.start({
      PRINTWARDEN_ASSISTANT_URL: model.url,
      PRINTWARDEN_ASSISTANT_MODEL: 'small',
      PRINTWARDEN_ASSISTANT_VISION_MODEL: 'seeing',
      PRINTWARDEN_ASSISTANT_MONTHLY_CREDITS: '100',
      PRINTWARDEN_OUTBOUND_ALLOW: `127.0.0.1:${model.port}`,
    })
  }, 120_000)
  afterAll(async () => {
    await subject.stop()
    await model?.close()
  })

  test.each(assistantCases)('$id: $title', (one) => expectKept(subject, one), CASE_TIMEOUT_MS * 2)
})
