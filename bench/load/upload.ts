import type { Call } from './requests.js'

const BOUNDARY = 'a-boundary-that-is-in-no-picture'

/** The form in which an agent sends a picture. */
export function formOf(picture: Buffer): Buffer {
  const field = 'Content-Disposition: form-data; name="pic"; filename="snapshot.jpg"\r\nContent-Type: image/jpeg'
  return Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\n${field}\r\n\r\n`),
    picture,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ])
}

/** The upload of a form that was made by {@link formOf}. */
export function uploadOf(path: string, form: Buffer): Call {
  return { method: 'POST', path, body: form, contentType: `multipart/form-data; boundary=${BOUNDARY}` }
}
