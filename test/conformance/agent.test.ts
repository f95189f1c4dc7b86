import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ourProgram, temporaryFolder } from '../support/processes.js'
import { agentCases } from './src/agent/all-cases.js'
import { type AgentRun, openAgentRun } from './src/agent/run.js'

// Our own agent, as a process with a printer that exists in memory, against the scripted server of the kit.

/** Long enough for what happens in the middle of a print, short enough to wait for its end. */
const PRINT_SECONDS = 15

const CASE_MS = 60_000

test('every case about agents has an id of its own', () => {
  const ids = agentCases.map(({ id }) => id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})

describe('the agent keeps the rule', () => {
  let folder: { path: string; remove: () => Promise<void> }
  let run: AgentRun

  beforeAll(async () => {
    folder = await temporaryFolder()
    const config = join(folder.path, 'printwarden-agent.cfg')
    const authToken = randomBytes(20).toString('hex')
    const { command, args } = ourProgram('agent')
    const words = ['exec', ...[command, ...args, 'run', '--config', config].map((word) => `'${word}'`)]
    run = await openAgentRun({ host: '127.0.0.1', port: 0, authToken, start: words.join(' '), timeoutMs: CASE_MS })
    await writeFile(config, configOf(run.url, authToken))
  })

  afterAll(async () => {
    await run?.close()
    await folder?.remove()
  })

  test.each(agentCases)(
    '$id: $title',
    async (one) => {
      const { error } = await run.runCase(one)
      if (error !== undefined) throw error
    },
    CASE_MS * 2,
  )
})

function configOf(url: string, authToken: string): string {
  return `[server]
url: ${url}

[printer test]
auth_token: ${authToken}
host: virtual
duration: ${PRINT_SECONDS}
heating: 1
autostart: false

[camera test bed]
pictures: generated
`
}
