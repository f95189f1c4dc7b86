import { ADMIN, type Program, runServerCommand, startAgentCommand } from './processes.js'

/** A `link` that waits: the program, and the code that it shows. */
export interface WaitingLink {
  readonly program: Program
  readonly code: string
}

/** Starts `printwarden-agent link` for a virtual printer and waits for its code. Nobody is asked. */
export async function startLink(url: string, config: string, more: readonly string[] = []): Promise<WaitingLink> {
  const args = ['link', '--yes', '--server', url, '--host', 'virtual', '--config', config, ...more]
  const program = startAgentCommand(args)
  const [, code] = await program.waitFor(/[?&]code=(\d{6})/, 60_000)
  if (code === undefined) throw new Error(`no code:\n${program.output()}`)
  return { program, code }
}

/** A token of the administrator for the REST API. */
export async function issueToken(url: string): Promise<string> {
  const args = ['token', 'issue', '--user', ADMIN.email, '--scope', 'read write', '--json']
  const issued: unknown = JSON.parse(await runServerCommand(url, args))
  if (typeof issued !== 'object' || issued === null || !('access_token' in issued)) throw new Error('no token')
  return String(issued.access_token)
}
