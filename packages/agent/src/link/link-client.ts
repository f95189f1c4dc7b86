import { AgentLink, AgentLinkState } from '@printwarden/protocol'
import { create, isAxiosError, type AxiosInstance, type AxiosResponse } from 'axios'
import { z } from 'zod'
import { reasonOf } from '../uplink/connection-reason.js'
import { LinkError } from './link-error.js'

const TIMEOUT_MS = 10_000
const MAX_BYTES = 64 * 1024

const Problem = z.object({ status: z.int(), code: z.string(), title: z.string() })

function http(server: string, signal: AbortSignal): AxiosInstance {
  return create({
    baseURL: server,
    timeout: TIMEOUT_MS,
    signal,
    proxy: false,
    maxRedirects: 0,
    maxContentLength: MAX_BYTES,
    validateStatus: () => true,
  })
}

/**
 * Finds out whether a server that links agents is at an address, by asking for a code that nobody has.
 *
 * @throws {LinkError} `unreachable`, `moved`, `old_server` or `other_program`
 */
export async function checkServer(server: string, signal: AbortSignal): Promise<void> {
  const question = { secret: 'is-this-a-server' }
  const response = await send(server, () => http(server, signal).post<unknown>('/api/v1/agent/link/poll/', question))
  const { status, headers, data } = response
  if (status >= 300 && status < 400) {
    const target = String(headers['location'] ?? 'elsewhere')
    throw new LinkError('moved', `${server} sends us on to ${target.slice(0, 200)}`)
  }
  const problem = Problem.safeParse(data).data
  if (problem?.code === 'expired' || problem?.code === 'rate_limited') return
  if (problem?.code === 'not_found') throw new LinkError('old_server', `${server} is too old to link agents by a code`)
  throw new LinkError('other_program', `${server} is not a Printwarden server`)
}

/**
 * Asks for a code to show.
 *
 * @throws {LinkError} `unreachable`, `old_server`, `busy` or `refused`
 */
export async function startLink(
  server: string,
  device: { device_name: string; agent_version: string },
  signal: AbortSignal,
): Promise<AgentLink> {
  const response = await send(server, () => http(server, signal).post<unknown>('/api/v1/agent/link/', device))
  if (response.status === 404 || response.status === 405) {
    throw new LinkError('old_server', `${server} is too old to link agents by a code`)
  }
  if (response.status === 429 || response.status === 503) {
    throw new LinkError('busy', `${server} has too many agents that wait`)
  }
  const link = response.status === 201 ? AgentLink.safeParse(response.data).data : undefined
  if (link === undefined) throw new LinkError('refused', `${server} answers ${response.status}`)
  return link
}

/**
 * What became of the code.
 *
 * @returns undefined while the server is too busy to say
 * @throws {LinkError} `unreachable`, `expired` or `refused`
 */
export async function pollLink(
  server: string,
  secret: string,
  signal: AbortSignal,
): Promise<AgentLinkState | undefined> {
  const response = await send(server, () => http(server, signal).post<unknown>('/api/v1/agent/link/poll/', { secret }))
  if (response.status === 410) throw new LinkError('expired', 'the code is used up or too old')
  if (response.status === 429 || response.status >= 500) return undefined
  const state = response.status < 300 ? AgentLinkState.safeParse(response.data).data : undefined
  if (state === undefined) throw new LinkError('refused', `${server} answers ${response.status}`)
  return state
}

const TokenOwner = z.object({ printer: z.object({ id: z.int().positive(), name: z.string() }) })

/**
 * The printer that a token speaks for; undefined when the server does not accept it.
 *
 * @throws {LinkError} unreachable
 */
export async function ownerOfToken(
  server: string,
  authToken: string,
  signal: AbortSignal,
): Promise<{ id: number; name: string } | undefined> {
  const headers = { authorization: `Bearer ${authToken}` }
  const response = await send(server, () => http(server, signal).get<unknown>('/api/v1/agent/printer/', { headers }))
  return response.status === 200 ? TokenOwner.safeParse(response.data).data?.printer : undefined
}

async function send<T>(server: string, work: () => Promise<AxiosResponse<T>>): Promise<AxiosResponse<T>> {
  try {
    return await work()
  } catch (error) {
    if (isAxiosError(error) && error.code === 'ERR_CANCELED')
      throw new LinkError('stopped', 'stopped', { cause: error })
    throw new LinkError('unreachable', `${server} does not answer (${reasonOf(error)})`, { cause: error })
  }
}
