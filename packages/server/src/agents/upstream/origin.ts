import type { ToAgentPayload } from '../to-agent.js'

/**
 * A command to print with the address of its file at `origin`, at which the agent reaches the server: the address was made for whoever
 * asked, who may reach it by another name. What is signed is the path.
 */
export function atOrigin(payload: ToAgentPayload, origin: string): ToAgentPayload {
  if (payload.type !== 'command' || payload.cmd !== 'print') return payload
  const { url } = payload.args
  if (typeof url !== 'string' || !URL.canParse(url)) return payload
  const { pathname, search } = new URL(url)
  return { ...payload, args: { ...payload.args, url: `${origin}${pathname}${search}` } }
}
