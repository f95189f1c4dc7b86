import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { addressOf, requireLoopback } from './loopback.js'

/** One REST request. */
export interface Call {
  readonly method: 'GET' | 'PATCH' | 'POST'
  readonly path: string
  readonly body?: Buffer
  readonly contentType?: string
}

/** One person's or agent's connection, kept open, from an address of its own. */
export interface RestClient {
  /**
   * The answer's text. A 429 is waited out and tried again, and counted.
   *
   * @throws for any other answer than 2xx
   */
  send(call: Call): Promise<string>
  /** How often it was told to wait. */
  refused(): number
  close(): void
}

const FIRST_ADDRESS = 40_000
/** When a 429 does not say how long to wait. */
const WAIT_S = 1

export function openRestClient(url: string, authorization: string, index: number): RestClient {
  const base = requireLoopback(url).origin
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const localAddress = addressOf(FIRST_ADDRESS + index)
  let refused = 0

  function once({ method, path, body, contentType = 'application/json' }: Call): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const about = body === undefined ? {} : { 'content-type': contentType, 'content-length': String(body.length) }
      const options = { method, agent, localAddress, headers: { authorization, ...about } }
      const sent = request(base + path, options, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, text, wait: Number(response.headers['retry-after'] ?? WAIT_S) })
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }

  return {
    async send(call) {
      for (;;) {
        const { status, text, wait } = await once(call)
        if (status >= 200 && status < 300) return text
        if (status !== 429) throw new Error(`${call.method} ${call.path} answered ${status}: ${text}`)
        refused += 1
        await delay(wait * 1000)
      }
    },
    refused: () => refused,
    close: () => agent.destroy(),
  }
}

interface Answer {
  readonly status: number
  readonly text: string
  /** Seconds. */
  readonly wait: number
}

/** What came of a load of requests. */
export interface RestLoad {
  readonly count: number
  readonly seconds: number
  /** Milliseconds of each request. */
  readonly times: readonly number[]
}

/** Lets every client send one request after another for so long. */
export async function loadFor(
  clients: readonly RestClient[],
  seconds: number,
  callOf: (client: number, sequence: number) => Call,
): Promise<RestLoad> {
  const times: number[] = []
  const started = performance.now()
  const until = started + seconds * 1000
  await Promise.all(
    clients.map(async (client, index) => {
      for (let sequence = 0; performance.now() < until; sequence += 1) {
        const asked = performance.now()
        await client.send(callOf(index, sequence))
        times.push(performance.now() - asked)
      }
    }),
  )
  return { count: times.length, seconds: (performance.now() - started) / 1000, times }
}
