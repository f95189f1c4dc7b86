import { create } from 'axios'
import { z } from 'zod'

/** What the server says to a printer's token. */
export interface ServerAnswer {
  readonly status: number
  /** The printer's name, when the token is right. */
  readonly printer: string | undefined
  /** The server's clock in Unix seconds. */
  readonly serverTs: number | undefined
}

const TIMEOUT_MS = 10_000
const Answer = z.object({ printer: z.object({ name: z.string() }), server_ts: z.number() })

/** Asks the server which printer the token belongs to. Throws when the server cannot be reached. */
export async function askServer(serverUrl: string, authToken: string): Promise<ServerAnswer> {
  const http = create({
    baseURL: serverUrl,
    timeout: TIMEOUT_MS,
    proxy: false,
    maxRedirects: 0,
    validateStatus: () => true,
  })
  const { status, data } = await http.get<unknown>('/api/v1/agent/printer/', {
    headers: { authorization: `Bearer ${authToken}` },
  })
  const answer = Answer.safeParse(data).data
  return { status, printer: answer?.printer.name, serverTs: answer?.server_ts }
}
