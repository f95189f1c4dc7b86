import { ActionProposal, AssistantAnswer, flagsOf, type StateText } from '@printwarden/protocol'
import { z } from 'zod'
import { openOpenAiModel } from '../adapters/model-openai.js'
import { openGuardedFetch } from '../adapters/outbound-fetch.js'
import { TestAgent } from '../agents/testing.js'
import { startTestServer, type TestAnswer, type TestUser } from '../testing.js'
import { type ScriptedAnswer, startFakeModelServer } from './fake-model-server.js'

// A whole server with a model's server on this machine, printers with connected agents, and signed-in users.

/** A printer with its agent, which takes whatever it is sent. */
export interface ConnectedPrinter {
  readonly id: number
  readonly agent: TestAgent
  /** Sends a status; `ts` names the print. */
  tell(text: StateText, ts?: number, more?: { readonly event?: string; readonly status?: object }): Promise<void>
  /** The names of the commands that have come so far. */
  commands(): Promise<string[]>
}

export type AssistantServer = Awaited<ReturnType<typeof startAssistantServer>>

const Commands = z.array(z.object({ cmd: z.string() }))
const NO_PRINT = -1

/** A call of a tool, as the fake model makes it. */
export const calls = (name: string, args: unknown = {}): ScriptedAnswer => ({ calls: [{ name, arguments: args }] })

export async function startAssistantServer() {
  const fake = await startFakeModelServer()
  const server = await startTestServer({
    model: openOpenAiModel({
      ...{ text: { url: fake.url, key: undefined, model: 'small' }, vision: undefined, timeoutMs: 60_000, retries: 0 },
      fetch: openGuardedFetch({ allow: [{ host: '127.0.0.1' }] }),
    }),
  })
  const agents = new Set<TestAgent>()

  async function addPrinter(user: TestUser, name = 'Left'): Promise<ConnectedPrinter> {
    const { printer, auth_token } = await server.addPrinter(user.id, name)
    const agent = await TestAgent.open(server.url, [], { headers: { authorization: `Bearer ${auth_token}` } })
    agents.add(agent)
    return {
      id: printer.id,
      agent,
      async tell(text, ts = NO_PRINT, { event, status } = {}) {
        const file = { name: 'boat.gcode', path: 'boat.gcode', display: 'boat.gcode' }
        agent.send({
          current_print_ts: ts,
          ...(event === undefined ? {} : { event: { event_type: event } }),
          status: { _ts: server.clock.now() / 1000, state: { text, flags: flagsOf(text) }, job: { file }, ...status },
        })
        await agent.settled()
      },
      async commands() {
        await agent.settled()
        return agent.received.flatMap(({ commands }) => Commands.parse(commands ?? []).map(({ cmd }) => cmd))
      },
    }
  }

  /** What a signed-in browser sends along. */
  async function signIn(userId: number): Promise<string> {
    const session = server.secrets.newToken(32)
    const now = server.clock.now()
    const times = { created_at: now, expires_at: now + 3_600_000 }
    await server.database.db
      .insertInto('sessions')
      .values({ user_id: userId, token_hash: server.secrets.hash(session), ...times })
      .execute()
    return `printwarden_session=${session}`
  }

  async function decide(
    headers: Record<string, string>,
    id: number,
    decision: 'confirm' | 'dismiss',
  ): Promise<TestAnswer> {
    const path = `/api/v1/assistant/proposals/${id}/${decision}/`
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { origin: server.url, ...headers },
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text === '' ? undefined : JSON.parse(text),
    }
  }

  return {
    fake,
    server,
    addPrinter,
    signIn,
    decide,
    /** Asks as an app does, and hands over the message. */
    async ask(token: string, ...contents: string[]) {
      const messages = (contents.length === 0 ? ['How is it?'] : contents).map((content) => ({ role: 'user', content }))
      const { status, json, text } = await server.call('POST', '/assistant/api/chats/messages/', {
        token,
        body: { messages },
      })
      if (status !== 200) throw new Error(`the question was answered ${status} ${text}`)
      return AssistantAnswer.parse(json).message
    },
    /** What is proposed to a user, newest first. */
    async proposals(token: string): Promise<ActionProposal[]> {
      const { json } = await server.call('GET', '/api/v1/assistant/proposals/', { token })
      return z.array(ActionProposal).parse(json)
    },
    async close(): Promise<void> {
      for (const agent of agents) await agent.kill()
      await server.close()
      await fake.close()
    },
  }
}
