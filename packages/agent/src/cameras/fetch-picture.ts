import { create, isCancel } from 'axios'
import { CameraError } from '../camera.js'
import { reasonOf } from '../connection-reason.js'
import { MAX_PICTURE_BYTES } from './picture.js'

// Cameras are in the house, so a proxy of the environment is not asked.
const http = create({ proxy: false, maxRedirects: 3, validateStatus: () => true, responseType: 'stream' })

/** The answer of a camera: its type and its body, which arrives piece by piece. */
export interface PictureResponse {
  readonly contentType: string
  readonly body: AsyncIterable<Uint8Array> & { destroy(): void }
}

/**
 * Asks a camera for `url`.
 *
 * @throws {CameraError} when it does not answer, or answers with an error
 */
export async function fetchPicture(url: string, signal: AbortSignal): Promise<PictureResponse> {
  const response = await http
    .get<PictureResponse['body']>(url, { signal })
    .catch((error: unknown) => Promise.reject(cameraError(error, signal)))
  if (response.status !== 200) {
    response.data.destroy()
    throw new CameraError(
      `the camera answers ${response.status}${response.status === 401 ? ': it wants a password' : ''}`,
    )
  }
  return { contentType: String(response.headers['content-type'] ?? ''), body: response.data }
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
