import { randomBytes } from 'node:crypto'
import { create, isCancel, type AxiosResponse } from 'axios'
import { CameraError } from '../camera.js'
import { reasonOf } from '../uplink/connection-reason.js'
import { authorization, chooseChallenge, type Challenge } from './http-login.js'
import type { CameraAddress } from './login.js'
import { MAX_PICTURE_BYTES } from './picture.js'

// Cameras are in the house, so a proxy of the environment is not asked. Redirects are followed below, one by one.
const http = create({ proxy: false, maxRedirects: 0, validateStatus: () => true, responseType: 'stream' })

const MAX_REDIRECTS = 3

/** The body of an answer, which arrives piece by piece. */
export type PictureBody = AsyncIterable<Uint8Array> & { destroy(): void }

/** The answer of a camera: its type and its body. */
export interface PictureResponse {
  readonly contentType: string
  readonly body: PictureBody
}

/**
 * Asks a camera.
 *
 * @throws {CameraError} when it does not answer, or answers with an error
 */
export type AskCamera = (signal: AbortSignal) => Promise<PictureResponse>

/** The way the camera wants to be logged in to, and how often that was used. */
interface Proof {
  readonly challenge: Challenge
  count: number
}

/**
 * A camera with a web server. It is asked without the login first, and remembers how the camera wants it, so that a password
 * leaves in the plain only where nothing else is offered. Another host that the camera refers to never gets it.
 */
export function openHttpCamera({ url, login }: CameraAddress): AskCamera {
  const { origin } = new URL(url)
  let proof: Proof | undefined

  function headersFor(target: URL): { authorization?: string } {
    if (!login || !proof || target.origin !== origin) return {}
    proof.count += 1
    const path = `${target.pathname}${target.search}`
    const request = { path, count: proof.count, cnonce: randomBytes(8).toString('hex') }
    return { authorization: authorization(proof.challenge, login, request) }
  }

  return async (signal) => {
    let target = new URL(url)
    let isProven = false
    for (let redirects = 0; ; ) {
      const response = await get(target, headersFor(target), signal)
      const { status, headers } = response
      if (status === 200) return { contentType: String(headers['content-type'] ?? ''), body: response.data }
      response.data.destroy()
      if (status === 401) {
        if (!login || target.origin !== origin) throw new CameraError('the camera answers 401: it wants a password')
        // A challenge may have grown old, so an answer to a new one is worth one more try.
        if (isProven) throw new CameraError('the camera answers 401: it refuses this user and password')
        proof = { challenge: challengeOf(response), count: 0 }
        isProven = true
        continue
      }
      target = redirectTarget(response, target)
      redirects += 1
      if (redirects > MAX_REDIRECTS) throw new CameraError('the camera sends from one address to the next')
    }
  }
}

async function get(target: URL, headers: object, signal: AbortSignal): Promise<AxiosResponse<PictureBody>> {
  return http
    .get<PictureBody>(target.href, { signal, headers: { ...headers } })
    .catch((error: unknown) => Promise.reject(cameraError(error, signal)))
}

function challengeOf({ headers }: AxiosResponse): Challenge {
  const challenge = chooseChallenge(String(headers['www-authenticate'] ?? ''))
  if (!challenge) throw new CameraError('the camera answers 401: it wants a login that is neither basic nor digest')
  return challenge
}

function redirectTarget({ status, headers }: AxiosResponse, from: URL): URL {
  const location = headers['location'] as unknown
  const isRedirect = [301, 302, 303, 307, 308].includes(status) && typeof location === 'string'
  if (!isRedirect || !URL.canParse(location, from.href)) throw new CameraError(`the camera answers ${status}`)
  const target = new URL(location, from.href)
  if (target.protocol !== 'http:' && target.protocol !== 'https:') {
    throw new CameraError(`the camera sends to an address that is not of the web (${target.protocol})`)
  }
  target.username = ''
  target.password = ''
  return target
}

/** Reads a body to its end. */
export async function readBody(body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of body) {
      size += chunk.length
      if (size > MAX_PICTURE_BYTES) throw new CameraError('the picture is too large')
      chunks.push(chunk)
    }
  } catch (error) {
    throw cameraError(error, signal)
  }
  return Buffer.concat(chunks)
}

/** Whatever broke, in the words of a camera. */
export function cameraError(error: unknown, signal: AbortSignal): CameraError {
  if (error instanceof CameraError) return error
  if (signal.aborted || isCancel(error)) return new CameraError('the camera takes too long')
  return new CameraError(`the camera does not answer (${reasonOf(error)})`, { cause: error })
}
