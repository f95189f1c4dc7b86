import { AGENT_SOCKET_PATH } from '#protocol'
import { CASE_TIMEOUT_MS, type CaseResult, runOne } from '../run.js'
import { TargetError } from '../target.js'
import { type AgentCase, AgentContext, type AgentRunState } from './context.js'
import { AgentProgram } from './program.js'
import { ScriptedServer } from './scripted-server.js'

export interface AgentRunOptions {
  readonly host: string
  readonly port: number
  readonly authToken: string
  /** A command for the shell; a person starts the agent without it. */
  readonly start: string | undefined
  readonly timeoutMs: number | undefined
}

/** A server that waits for one agent, and the cases that can be run against it. */
export interface AgentRun {
  readonly url: string
  /** What to tell the person who has the agent. */
  readonly instructions: string
  runCase(one: AgentCase, limitMs?: number): Promise<CaseResult>
  close(): Promise<void>
}

/** Without `start` somebody has to start the agent by hand, at the beginning and where a case ends it. */
const BY_HAND_TIMEOUT_MS = 180_000

/** @throws {TargetError} when the address cannot be listened at */
export async function openAgentRun({ host, port, authToken, start, timeoutMs }: AgentRunOptions): Promise<AgentRun> {
  const server = await ScriptedServer.open(host, port).catch((err: unknown) => {
    throw new TargetError(`cannot listen at ${host}:${port}: ${err instanceof Error ? err.message : String(err)}`)
  })
  const env = { PRINTWARDEN_CONFORMANCE_URL: server.url, PRINTWARDEN_CONFORMANCE_AUTH_TOKEN: authToken }
  const program = start === undefined ? undefined : new AgentProgram(start, env, server.watch)
  const state: AgentRunState = { server, authToken, program, lastFileId: 0 }
  const limitMs = timeoutMs ?? (program === undefined ? BY_HAND_TIMEOUT_MS : CASE_TIMEOUT_MS)
  return {
    url: server.url,
    instructions: instructions(server.url, authToken, start),
    runCase: (one, caseMs = limitMs) => runOne(one, (signal) => new AgentContext(state, signal), caseMs),
    close: async () => {
      program?.stop()
      await server.close()
    },
  }
}

function instructions(url: string, authToken: string, start: string | undefined): string {
  const socket = `${url.replace(/^http/, 'ws')}${AGENT_SOCKET_PATH}`
  return `Point the agent at
  server      ${url}
  websocket   ${socket}
  auth_token  ${authToken}
and give it a printer that can print for a minute, and a camera. Nothing else may use the printer during the run.
${start === undefined ? 'Start it now. Where a case makes it stop, start it again.' : `It is started with: ${start}`}
`
}
