import { FakeRefusal } from './fake-refusal.js'
import type { FakeState } from './fake-state.js'

/** The bytes of a stored file, whole or in part, to whoever holds its address. */
export function serveMedia(state: FakeState, request: Request): Response {
  const { pathname, search } = new URL(request.url)
  const kept = state.media.get(pathname.slice('/media/'.length))
  if (kept !== undefined)
    return new Response(kept, { headers: { 'content-type': kept.type || 'application/octet-stream' } })
  const id = Number(/^\/media\/g-code\/(\d+)$/.exec(pathname)?.[1])
  const file = state.files.get(id)
  const isSigned = file?.flat.url?.endsWith(`${pathname}${search}`) === true
  if (file?.bytes === undefined || !isSigned) throw new FakeRefusal('not_found')
  const headers = { 'accept-ranges': 'bytes', 'content-type': 'application/octet-stream' }
  const { length } = file.bytes
  const start = /^bytes=(\d+)-$/.exec(request.headers.get('range') ?? '')?.[1]
  if (start === undefined) return answer(file.bytes, 200, headers)
  if (Number(start) >= length)
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${length}` } })
  const range = `bytes ${start}-${length - 1}/${length}`
  return answer(file.bytes.subarray(Number(start)), 206, { ...headers, 'content-range': range })
}

function answer(bytes: Uint8Array, status: number, headers: Readonly<Record<string, string>>): Response {
  const body = new Blob([new Uint8Array(bytes)])
  return new Response(body, { status, headers: { ...headers, 'content-length': String(bytes.length) } })
}
