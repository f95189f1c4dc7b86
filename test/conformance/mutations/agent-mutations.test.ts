import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConformanceTarget } from '@printwarden/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ourProgram, temporaryFolder } from '../../support/processes.js'
import { agentCases } from '../src/agent/all-cases.js'
import { openAgentRun } from '../src/agent/run.js'
import { agentMutations } from './agent-mutations.js'
import type { AgentCase } from '../src/agent/context.js'
import { openProxy, type Proxy } from './proxy.js'
import { catchingCases } from './verdict.js'

// Does the kit notice a broken agent? A proxy between our own agent and the scripted server breaks one rule at a time.

/** For the agent to start, and for a case while nothing is broken. */
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

  /** An agent of its own, behind a proxy. */
  async function openAgent(name: string): Promise<BehindProxy> {
    const authToken = randomBytes(20).toString('hex')
    const config = join(folder.path, `${name}.cfg`)
    const { command, args } = ourProgram('agent')
    const start = ['exec', ...[command, ...args, 'run', '--config', config].map((word) => `'${word}'`)].join(' ')
    const run = await openAgentRun({ host: '127.0.0.1', port: 0, authToken, start, timeoutMs: undefined })
    const proxy = await openProxy(targetAt(run.url, authToken))
    await writeFile(config, configOf(proxy.target.base_url, authToken))
    return {
      proxy,
      fails: async (id, timeoutMs) => {
        const one = cases.get(id)
        if (one === undefined) throw new Error(`there is no case ${id}`)
        await run.runCase(STARTED)
        return (await run.runCase(one, timeoutMs)).error?.message
      },
      close: async () => {
        await run.close()
        await proxy.close()
      },
    }
  }

  test('nothing fails through the proxy while no rule is broken', async () => {
    const agent = await openAgent('sound')
    const failed: string[] = []
    for (const id of named) {
      const what = await agent.fails(id, TIMEOUT_MS)
      if (what !== undefined) failed.push(`${id}: ${what}`)
    }
    await agent.close()
    expect(failed).toEqual([])
  }, 600_000)

  test.each(agentMutations)(
    '$id is noticed: $breaks',
    async ({ id, cases: ids, hooks }) => {
      const by = await catchingCases([ids.at(-1) ?? ''], async (last, isBroken, limitMs) => {
        const agent = await openAgent(id)
        agent.proxy.mutate(isBroken ? hooks() : {})
        // The cases before the last only make something to look at; one that was begun too early is begun again.
        for (const one of ids.slice(0, -1)) {
          if ((await agent.fails(one, TIMEOUT_MS)) !== undefined) await agent.fails(one, TIMEOUT_MS)
        }
        const what = await agent.fails(last, limitMs)
        await agent.close()
        return what
      })
      if (by.length > 0) caught += 1
      expect(by).not.toEqual([])
    },
    300_000,
  )
})

/** The agent has connected; how long its program takes to start is no matter of the case. */
const STARTED: AgentCase = {
  id: 'started',
  group: 'decisions',
  section: 'none',
  title: 'the agent has connected',
  timeoutMs: TIMEOUT_MS,
  run: async (ctx) => void (await ctx.connected()),
}

interface BehindProxy {
  readonly proxy: Proxy
  /** What the case says; undefined when it passed. */
  readonly fails: (id: string, timeoutMs: number) => Promise<string | undefined>
  readonly close: () => Promise<void>
}

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
