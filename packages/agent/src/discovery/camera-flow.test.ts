import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { plainPicture } from '../cameras/fake-camera.js'
import { findCamera } from './camera-flow.js'

let http: Server
let url: string
/** What each path answers; all else is 404. */
let answers: Record<string, string | Buffer>

beforeEach(async () => {
  answers = {}
  http = createServer(({ url: path = '', headers }, response) => {
    const answer = headers['x-api-key'] === 'KEY' || path.startsWith('/cam') ? answers[path] : undefined
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(answer)
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
})
afterEach(() => {
  http.closeAllConnections()
  http.close()
})

const find = (host: string) => findCamera({ host, url, apiKey: 'KEY' }, new AbortController().signal)
const webcams = (...list: object[]) => JSON.stringify({ result: { webcams: list } })

test("Moonraker's webcam is taken by its place in the list, when it gives a picture", async () => {
  answers['/server/webcams/list'] = webcams({ name: 'bed', service: 'mjpegstreamer', snapshot_url: `${url}/cam` })
  answers['/cam'] = await plainPicture(64, 48, 100)
  expect(await find('moonraker')).toEqual({ webcam: 'first' })
})

test.each([
  { name: 'gives no picture', list: () => [{ name: 'bed', service: 'x', snapshot_url: `${url}/cam` }] },
  { name: 'is a file', list: () => [{ name: 'bed', service: 'x', snapshot_url: 'file:///etc/passwd' }] },
  { name: 'is not there', list: () => [] },
])('a webcam that $name is not written down', async ({ list }) => {
  answers['/server/webcams/list'] = webcams(...list())
  answers['/cam'] = '<html>'
  expect(await find('moonraker')).toBeUndefined()
})

test("OctoPrint's is taken by its address", async () => {
  answers['/api/settings'] = JSON.stringify({ webcam: { snapshotUrl: `${url}/cam`, flipH: true } })
  answers['/cam'] = await plainPicture(64, 48, 100)
  expect(await find('octoprint')).toEqual({ snapshot_url: `${url}/cam`, flip_h: 'true' })
})

test('an answer without end is not waited for', async () => {
  answers['/api/settings'] = Buffer.alloc(3 * 1024 * 1024, ' ')
  expect(await find('octoprint')).toBeUndefined()
})
