import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { GCodeFileSaved } from '@printwarden/protocol'
import type { TestAnswer, TestServer } from '../testing.js'

/** One part of a form: a text, or bytes with the name that the client gives them. */
export type Part = readonly [
  name: string,
  value: string | { readonly bytes: string | Uint8Array; readonly name: string },
]

const BOUNDARY = 'a-boundary-that-no-test-contains'

/** A multipart body, part for part as a client that minds no rules would write it. */
export function multipart(parts: readonly Part[], isClosed = true): { body: Buffer; contentType: string } {
  const chunks: (string | Uint8Array)[] = parts.flatMap(([name, value]) => {
    const [bytes, named] =
      typeof value === 'string'
        ? [value, '']
        : [value.bytes, `; filename="${value.name}"\r\nContent-Type: application/octet-stream`]
    return [`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${named}\r\n\r\n`, bytes, '\r\n']
  })
  if (isClosed) chunks.push(`--${BOUNDARY}--\r\n`)
  const body = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)))
  return { body, contentType: `multipart/form-data; boundary=${BOUNDARY}` }
}

/** Sends a form. */
export async function sendForm(
  server: TestServer,
  path: string,
  parts: readonly Part[],
  options: { readonly token?: string; readonly method?: string } = {},
): Promise<TestAnswer> {
  const { body, contentType } = multipart(parts)
  const response = await fetch(`${server.url}${path}`, {
    method: options.method ?? 'POST',
    headers: { authorization: `Bearer ${options.token ?? server.owner.token}`, 'content-type': contentType },
    body: new Uint8Array(body),
  })
  const text = await response.text()
  const json: unknown = text === '' ? undefined : JSON.parse(text)
  return { status: response.status, headers: response.headers, text, json }
}

/** Uploads a file and expects that it is taken. */
export async function upload(
  server: TestServer,
  filename: string,
  bytes: string | Uint8Array = 'G28\n',
  options: { readonly parent_folder?: number; readonly token?: string } = {},
): Promise<GCodeFileSaved> {
  const folder: Part[] = options.parent_folder === undefined ? [] : [['parent_folder', String(options.parent_folder)]]
  const parts: Part[] = [['filename', filename], ...folder, ['file', { bytes, name: 'blob' }]]
  const { status, json, text } = await sendForm(server, '/api/v1/g_code_files/', parts, options)
  if (status !== 201) throw new Error(`the upload was answered ${status} ${text}`)
  return GCodeFileSaved.parse(json)
}

/** Every blob that the server keeps, with those that are being written. */
export async function blobsOf(server: TestServer): Promise<string[]> {
  return blobsBelow(join(server.folder, 'blobs'))
}

/** Every file below a folder. */
export async function blobsBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}
