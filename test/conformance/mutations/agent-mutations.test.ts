import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConformanceTarget } from '@printwarden/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ourProgram, temporaryFolder } from '../../support/processes.js'
import { agentCases } from '../src/agent/all-cases.js'
import { openAgentRun } from '../src/agent/run.js'
import { agentMutations } from './agent-mutations.js'
import type { Hooks } from './mutation.js'
import { openProxy } from './proxy.js'

// Does the kit notice a broken agent? A proxy between our own agent and the scripted server breaks one rule at a time.

/** A case that waits for what a broken agent never does has failed after this. */
const BROKEN_TIMEOUT_MS = 8_000
const TIMEOUT_MS = 60_000

const cases = new Map(agentCases.map((one) => [one.id, one]))
const named = [...new Set(agentMutations.flatMap((mutation) => mutation.cases))]

test('mutations have ids of their own and name cases that there are', () => {
  const ids = agentMutations.map(({ id }) => id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  expect(named.filter((id) => !cases.has(id))).toEqual([])
})

/** The proxy needs to know where the kit is, and nothing else of a target. */
function targetAt(url: string, auth_token: string): ConformanceTarget {
  const nobody = { email: '', password: '' }
  const client = { client_id: '', redirect_uri: '' }
  const printer = { id: 1, auth_token }
  return {
    base_url: url,
    agent_ws_url: `${url.replace('http', 'ws')}/ws/agent/`,
    owner: nobody,
    other: nobody,
    tokens: { read_write: '', read: '', write: '', other: '', expired: '', revoked: '' },
    clients: { confidential: { ...client, client_secret: '' }, public: client },
    printer,
    other_printer: printer,
    disposable_printers: [],
  }
}

describe('an agent that breaks one rule', () => {
  let folder: { path: string; remove: () => Promise<void> }
  let caught = 0

  beforeAll(async () => {
    folder = await temporaryFolder()
  })

  afterAll(async () => {
    console.log(`mutations of the agent caught: ${caught}/${agentMutations.length}`)
    await folder?.remove()
  })

  /** Runs cases against an agent of its own, and gives those that failed. */
  async function failedCases(name: string, ids: readonly string[], timeoutMs: number, hooks: Hooks): Promise<string[]> {
    const authToken = randomBytes(20).toString('hex')
    const config = join(folder.path, `${name}.cfg`)
    const { command, args } = ourProgram('agent')
    const start = ['exec', ...[command, ...args, 'run', '--config', config].map((word) => `'${word}'`)].join(' ')
    const run = await openAgentRun({ host: '127.0.0.1', port: 0, authToken, start, timeoutMs })
    const proxy = await openProxy(targetAt(run.url, authToken))
    proxy.mutate(hooks)
    await writeFile(config, configOf(proxy.target.base_url, authToken))
    const failed: string[] = []
    for (const id of ids) {
      const one = cases.get(id)
      const { error } = one === undefined ? {} : await run.runCase(one)
      if (error !== undefined) failed.push(`${id}: ${error.message}`)
    }
    await run.close()
    await proxy.close()
    return failed
  }

  test('nothing fails through the proxy while no rule is broken', async () => {
    expect(await failedCases('none', named, TIMEOUT_MS, {})).toEqual([])
  }, 600_000)

  test.each(agentMutations)(
    '$id is noticed: $breaks',
    async ({ id, cases: ids, hooks }) => {
      const failed = await failedCases(id, ids, BROKEN_TIMEOUT_MS, hooks())
      if (failed.length > 0) caught += 1
      expect(failed).not.toEqual([])
    },
    120_000,
  )
})

function configOf(url: string, authToken: string): string {
  return `[server]
url: ${url}

[printer test]
auth_token: ${authToken}
host: virtual
duration: 30
heating: 1
autostart: false

[camera test bed]
pictures: generated
`
}
