import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AllowEntry } from '../outbound-rules.js'
import { type OutboundAnswer, OutboundError, type OutboundRequest } from '../ports.js'
import { parseAnswer, type ServiceAnswer } from './detector-http-answer.js'
import { openGuardedOutbound } from './outbound-guarded.js'

const CONNECT_MS = 2_000
const READ_MS = 8_000
const TRIES = 3
const BETWEEN_TRIES_MS = 100
const MAX_ANSWER_BYTES = 512 * 1024

/** What the service said no to, or why it said nothing. Its message is for whoever runs the server. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'

  constructor(
    /** The status of its answer; undefined when there was none that could be used. */
    readonly status: number | undefined,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** A detection service at its address. */
export interface Service {
  /** Host and port, for people. */
  readonly name: string
  /** What `/hc/` says; undefined when nothing answers there. */
  health(): Promise<string | undefined>
  /** @throws {ServiceError} */
  lookAtBytes(picture: Uint8Array): Promise<ServiceAnswer>
  /** @throws {ServiceError} */
  lookAtUrl(url: string): Promise<ServiceAnswer>
  /** Our own address on the way to the service. @throws {ServiceError} */
  ownAddress(): Promise<string>
}

/** @param url where the service is; a user name or password in it is its token, unless `token` is another */
export function openService(url: string, token: string | undefined): Service {
  const base = new URL(url.endsWith('/') ? url : `${url}/`)
  const secret = token ?? decodeURIComponent(base.password === '' ? base.username : base.password)
  base.username = ''
  base.password = ''
  const host = base.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = base.port === '' ? (base.protocol === 'https:' ? 443 : 80) : Number(base.port)
  // Whoever runs the server has named this address themselves, wherever it is.
  const allow: AllowEntry[] = [{ host: host.toLowerCase().replace(/\.$/, ''), port }]
  const outbound = openGuardedOutbound({ allow })
  const headers = secret === '' ? {} : { authorization: `Bearer ${secret}` }
  const limits = { connectMs: CONNECT_MS, timeoutMs: READ_MS, maxBytes: MAX_ANSWER_BYTES }

  /** Asks up to three times, as long as the service is to blame. */
  async function ask(request: Pick<OutboundRequest, 'url' | 'method' | 'body' | 'headers'>): Promise<ServiceAnswer> {
    for (let tries = 1; ; tries++) {
      const answer = await outbound
        .request({ ...limits, ...request, headers: { ...headers, ...request.headers } })
        .catch((err: unknown) => err)
      if (!isWorthAnotherTry(answer) || tries === TRIES) return used(answer)
      await sleep(BETWEEN_TRIES_MS * tries)
    }
  }

  return {
    name: base.host,
    async health() {
      try {
        const { body } = await outbound.request({ ...limits, url: new URL('hc/', base).href, headers })
        return body.toString('utf8').trim().slice(0, 100)
      } catch {
        return undefined
      }
    },
    lookAtBytes: (body) =>
      ask({ url: new URL('p/', base).href, method: 'POST', body, headers: { 'content-type': 'image/jpeg' } }),
    lookAtUrl(picture) {
      const asked = new URL('p/', base)
      asked.searchParams.set('img', picture)
      return ask({ url: asked.href })
    },
    ownAddress: () => ownAddressTo(host, port),
  }
}

function isWorthAnotherTry(answer: unknown): boolean {
  if (answer instanceof OutboundError) return answer.code === 'failed' || answer.code === 'timeout'
  return isAnswer(answer) && answer.status >= 500
}

const isAnswer = (answer: unknown): answer is OutboundAnswer =>
  typeof answer === 'object' && answer !== null && 'status' in answer

function used(answer: unknown): ServiceAnswer {
  if (answer instanceof OutboundError) throw new ServiceError(undefined, answer.message, { cause: answer })
  if (!isAnswer(answer)) throw answer
  if (answer.status !== 200) throw new ServiceError(answer.status, `It answers ${answer.status}.`)
  const parsed = parseAnswer(answer.body)
  if (parsed === undefined) throw new ServiceError(undefined, 'Its answer is not that of a detection service.')
  return parsed
}

function ownAddressTo(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: CONNECT_MS })
    socket.once('connect', () => {
      const { localAddress = '' } = socket
      socket.destroy()
      resolve(localAddress)
    })
    const fail = (err?: Error): void => {
      socket.destroy()
      reject(new ServiceError(undefined, 'It cannot be reached.', { cause: err }))
    }
    socket.once('error', fail)
    socket.once('timeout', () => fail())
  })
}
