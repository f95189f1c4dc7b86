import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as requestByHttp } from 'node:http'
import { request as requestByHttps } from 'node:https'
import { text } from 'node:stream/consumers'
import { type MultipartBody, multipartBody } from './multipart-stream.js'
import { type Answer, readWhole, type Upload, type UploadPlatform } from './upload.js'

/**
 * Uploads in Node (and Deno, and Bun): the body is made as it is sent, so no file is ever held in memory. By `node:http`, since the
 * `fetch` of Node 20 keeps every piece of a body that is a stream until the request is over, which for a file of a gigabyte is a gigabyte.
 */
export const uploadPlatform: UploadPlatform = {
  async send(upload) {
    const body = multipartBody(upload.parts, upload.signal, upload.onProgress)
    const headers = {
      ...upload.headers,
      'content-type': body.contentType,
      // With it a server can refuse a file that is too large before it takes it.
      ...(body.size === undefined ? {} : { 'content-length': String(body.size) }),
    }
    return upload.fetch === undefined
      ? sendByHttp(upload, headers, body)
      : sendByFetch(upload, headers, body, upload.fetch)
  },
}

async function sendByFetch(
  { url, method, credentials, signal }: Upload,
  headers: Readonly<Record<string, string>>,
  { body }: MultipartBody,
  fetch: NonNullable<Upload['fetch']>,
): Promise<Answer> {
  // `duplex` is needed for a body that is a stream, and is missing in the types of the platform.
  const init: RequestInit & { duplex: 'half' } = { method, headers, credentials, body, duplex: 'half', signal }
  return readWhole(await fetch(new Request(url, init)))
}

async function sendByHttp(
  { url, method, signal }: Upload,
  headers: Readonly<Record<string, string>>,
  { body }: MultipartBody,
): Promise<Answer> {
  const open = url.startsWith('https:') ? requestByHttps : requestByHttp
  const request = open(url, { method, headers, signal })
  const answered = answerOf(request)
  // Whoever awaits it below hears of it; until then it must not count as unhandled.
  answered.catch(() => undefined)
  const reader = body.getReader()
  try {
    await write(request, reader, answered)
    return await answered
  } finally {
    await reader.cancel().catch(() => undefined)
    request.destroy()
  }
}

/** Writes the body as fast as the server takes it. A server that answers before it has taken all wants no more of it. */
async function write(
  request: ClientRequest,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  answered: Promise<Answer>,
): Promise<void> {
  let isOver = false
  const over = answered.then(
    () => (isOver = true),
    () => (isOver = true),
  )
  for (;;) {
    const { done, value } = await reader.read()
    if (isOver) return
    if (done) return void request.end()
    if (!request.write(value)) await Promise.race([once(request, 'drain').catch(() => undefined), over])
  }
}

async function answerOf(request: ClientRequest): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve)
    // Stays for good: a connection that breaks after the answer is of no interest, but an error that nobody hears ends the program.
    request.on('error', reject)
  })
  const headers = new Headers()
  for (const [name, value] of Object.entries(response.headers)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) headers.append(name, one)
  }
  return { status: response.statusCode ?? 0, headers, text: await text(response) }
}
