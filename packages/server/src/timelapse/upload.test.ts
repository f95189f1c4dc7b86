import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Print } from '@printwarden/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { barFrame } from '../adapters/encoder.contract.js'
import { findFfmpeg } from '../adapters/encoder-ffmpeg.js'
import { wasmEncoder } from '../adapters/encoder-wasm.js'
import { endPrint, startJobServer, startPrint, timelapseEnd } from './testing.js'

let server: Awaited<ReturnType<typeof startJobServer>>
let video: Uint8Array
const hasFfmpeg = (await findFfmpeg()) !== undefined
beforeAll(async () => {
  server = await startJobServer()
  const form = { width: 96, height: 64, framesPerSecond: 30 }
  const file = join(server.folder, 'own.mp4')
  const writer = await wasmEncoder().open(file, form)
  for (let number = 0; number < 30; number++) await writer.write(barFrame(form, number))
  await writer.finish()
  video = await readFile(file)
})
afterAll(() => server.close())

async function endedPrint(): Promise<number> {
  const { print, printerId } = await startPrint(server)
  await endPrint(server, printerId)
  await timelapseEnd(server, print.id)
  return print.id
}

function upload(id: number, bytes: Uint8Array | undefined, token = server.owner.token): Promise<Response> {
  const body = new FormData()
  if (bytes !== undefined) body.set('file', new Blob([Uint8Array.from(bytes)], { type: 'video/mp4' }), 'mine.mp4')
  const headers = { authorization: `Bearer ${token}` }
  return fetch(`${server.url}/api/v1/prints/${id}/timelapse/`, { method: 'POST', headers, body })
}

test("a user's own video is the print's, with a poster, and goes with the print", async () => {
  const id = await endedPrint()
  const answer = await upload(id, video)
  const print = Print.parse(await answer.json())
  expect(answer.status).toBe(200)
  expect(print).toMatchObject({ timelapse: { state: 'done' }, uploaded_at: expect.stringContaining('Z') })
  expect(new Uint8Array(await (await fetch(print.video_url ?? '')).arrayBuffer())).toEqual(new Uint8Array(video))
  if (hasFfmpeg) expect((await fetch(print.poster_url ?? '')).headers.get('content-type')).toBe('image/jpeg')
  // Another one takes its place, and leaves nothing of it.
  expect((await upload(id, video)).status).toBe(200)
  expect((await server.blobs.list(`prints/${id}/`)).length).toBe(hasFfmpeg ? 2 : 1)
  expect(await readdir(server.scratchFolder)).toEqual([])
  expect((await server.call('DELETE', `/api/v1/prints/${id}/`)).status).toBe(200)
  expect(await server.blobs.list(`prints/${id}/`)).toEqual([])
})

const text = (content: string): Uint8Array => new TextEncoder().encode(content)

test.each([
  { name: 'no file', bytes: undefined, status: 400 },
  { name: 'an empty file', bytes: text(''), status: 415 },
  { name: 'a page', bytes: text('<html><script>alert(1)</script></html>'), status: 415 },
  { name: 'a playlist that names other files', bytes: text('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n'), status: 415 },
])('$name is refused, and leaves nothing', async ({ bytes, status }) => {
  const id = await endedPrint()
  expect((await upload(id, bytes)).status).toBe(status)
  expect(await server.blobs.list(`prints/${id}/`)).toEqual([])
  // Who is refused need not wait until it is swept.
  await expect.poll(() => readdir(server.scratchFolder)).toEqual([])
})

test('a hundred that are refused leave nothing either: a file that is still being made is no exception', async () => {
  const id = await endedPrint()
  for (let tries = 0; tries < 100; tries++) expect((await upload(id, text('<html></html>'))).status).toBe(415)
  expect(await readdir(server.scratchFolder)).toEqual([])
})

test.skipIf(!hasFfmpeg)('what only begins like a video is refused', async () => {
  const id = await endedPrint()
  expect((await upload(id, video.subarray(0, 400))).status).toBe(415)
  expect(await server.blobs.list(`prints/${id}/`)).toEqual([])
})

test("another user's print is not there, and a running one waits for its end", async () => {
  const id = await endedPrint()
  expect((await upload(id, video, server.other.token)).status).toBe(404)
  const { print } = await startPrint(server)
  expect((await upload(print.id, video)).status).toBe(409)
})
