import type { Part, UploadFile } from './multipart.js'
import { type Answer, readWhole, type Upload, type UploadPlatform } from './upload.js'

/**
 * Uploads in browsers, by `XMLHttpRequest`: `fetch` there tells no upload progress, and a body that is a stream works in few
 * browsers and only over HTTP/2, which a server in a home network seldom speaks. A `File` is read from disk as it is sent. Where
 * there is no `XMLHttpRequest` (service workers), and with a `fetch` of the caller's, progress is told once, at the end.
 */
export const uploadPlatform: UploadPlatform = {
  async send(upload) {
    const form = await formOf(upload.parts)
    if (upload.fetch === undefined && typeof XMLHttpRequest !== 'undefined') return sendByXhr(upload, form)
    const { url, method, headers, credentials, signal } = upload
    const send = upload.fetch ?? ((request: Request) => globalThis.fetch(request))
    const answer = await readWhole(await send(new Request(url, { method, headers, credentials, body: form, signal })))
    const size = [...form.values()].reduce((sum, value) => sum + (typeof value === 'string' ? 0 : value.size), 0)
    upload.onProgress({ loaded: size, total: size })
    return answer
  },
}

async function formOf(parts: readonly Part[]): Promise<FormData> {
  const form = new FormData()
  for (const part of parts) {
    if ('text' in part) form.append(part.name, part.text)
    else form.append(part.name, await blobOf(part.file), part.filename)
  }
  return form
}

/** A blob of a stream may lie on disk: the browser decides, and this page does not hold it. */
async function blobOf(file: UploadFile): Promise<Blob> {
  if (file instanceof Blob) return file
  if (file instanceof Uint8Array) return new Blob([new Uint8Array(file)])
  if ('getReader' in file) return new Response(file).blob()
  const chunks: Blob[] = []
  for await (const chunk of file) chunks.push(new Blob([new Uint8Array(chunk)]))
  return new Blob(chunks)
}

function sendByXhr({ url, method, headers, signal, parts, onProgress }: Upload, form: FormData): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const stop = () => request.abort()
    const end = (settle: () => void) => () => {
      signal.removeEventListener('abort', stop)
      settle()
    }
    request.open(method, url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    const total = sizeOf(parts, form)
    request.upload.addEventListener('progress', (event) => {
      // The browser counts the frame of the form too.
      onProgress({ loaded: Math.min(total, Math.max(0, event.loaded - (event.total - total))), total })
    })
    request.addEventListener(
      'load',
      end(() => resolve(answerOf(request))),
    )
    request.addEventListener(
      'error',
      end(() => reject(new TypeError('the upload failed'))),
    )
    request.addEventListener(
      'abort',
      end(() => reject(signal.reason)),
    )
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', stop)
    request.send(form)
  })
}

function sizeOf(parts: readonly Part[], form: FormData): number {
  let size = 0
  for (const part of parts) {
    const value = 'file' in part ? form.get(part.name) : null
    if (value instanceof Blob) size += value.size
  }
  return size
}

function answerOf(request: XMLHttpRequest): Answer {
  const headers = new Headers()
  for (const line of request.getAllResponseHeaders().trim().split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  return { status: request.status, headers, text: request.responseText }
}
