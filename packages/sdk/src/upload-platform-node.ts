import { multipartBody } from './multipart-stream.js'
import { readWhole, type UploadPlatform } from './upload.js'

/** Uploads in Node (and Deno, and Bun): the body is a stream that is made as it is sent, so no file is ever held in memory. */
export const uploadPlatform: UploadPlatform = {
  async send({ url, method, headers, credentials, parts, signal, fetch, onProgress }) {
    const { body, contentType, size } = multipartBody(parts, signal, onProgress)
    // `duplex` is needed for a body that is a stream, and is missing in the types of the platform.
    const init: RequestInit & { duplex: 'half' } = {
      method,
      headers: {
        ...headers,
        'content-type': contentType,
        // With it a server can refuse a file that is too large before it takes it.
        ...(size === undefined ? {} : { 'content-length': String(size) }),
      },
      credentials,
      body,
      duplex: 'half',
      signal,
    }
    const send = fetch ?? ((request: Request) => globalThis.fetch(request))
    return readWhole(await send(new Request(url, init)))
  },
}
