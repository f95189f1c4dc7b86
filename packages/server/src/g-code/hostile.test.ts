import { readFileSync } from 'node:fs'
import { GCodeFileSaved, GCodeFolderFlat, ProblemDetails } from '@printwarden/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { startTestServer, type TestServer } from '../testing.js'
import { blobsOf, sendForm, upload } from './testing.js'

// Every name of the corpus at every place that takes one: kept as it is and handed out safely, or refused in clear words.

const path = new URL('../../../../test/fixtures/hostile/names.json', import.meta.url)
const Names = z.array(z.object({ name: z.string(), value: z.string(), why: z.string() }))
const NAMES = Names.parse(JSON.parse(readFileSync(path, 'utf8')))

let server: TestServer
let bystander: GCodeFileSaved

beforeAll(async () => {
  server = await startTestServer()
  bystander = await upload(server, 'bystander.gcode')
})

afterAll(() => server.close())

const FILES = '/api/v1/g_code_files/'

/** A refusal that says what is wrong with which field. */
function expectRefusal(answer: { status: number; json: unknown }, field: string): void {
  expect(answer.status).toBe(400)
  const { issues } = ProblemDetails.parse(answer.json)
  expect(issues).toMatchObject([{ path: field, message: expect.stringMatching(/^[a-z]/i) }])
}

async function expectServed(saved: GCodeFileSaved, value: string): Promise<void> {
  expect(saved.filename).toBe(value.normalize('NFC').trim())
  expect(saved.safe_filename).toMatch(/^[\p{L}\p{N}_.]+$/u)
  const answer = await fetch(saved.url ?? '')
  expect([answer.status, await answer.text()]).toEqual([200, 'G28\n'])
  expect(answer.headers.get('content-type')).toBe('application/octet-stream')
  const disposition = answer.headers.get('content-disposition') ?? ''
  expect(disposition).toMatch(/^attachment; filename="[A-Za-z0-9 ._()-]+"; filename\*=UTF-8''[A-Za-z0-9%._~!-]+$/)
  const shown = await server.call('GET', `${FILES}${saved.id}/`)
  expect(shown.json).toMatchObject({ filename: saved.filename })
}

test.each(NAMES)('upload under the name "$name": $why', async ({ value }) => {
  const before = await blobsOf(server)
  // A form is bytes: half a character cannot even be sent in one.
  const sent = Buffer.from(value).toString()
  const parts = [
    ['filename', value],
    ['file', { bytes: 'G28\n', name: 'blob' }],
  ] as const
  const answer = await sendForm(server, FILES, parts)
  if (answer.status !== 201) {
    expectRefusal(answer, 'filename')
    expect(await blobsOf(server)).toEqual(before)
    return
  }
  const saved = GCodeFileSaved.parse(answer.json)
  await expectServed(saved, sent)
  const added = (await blobsOf(server)).filter((blob) => !before.includes(blob))
  expect(added).toHaveLength(1)
  expect(added[0]).toMatch(/\/users\/\d+\/g-code\/[0-9a-f]{32}\.gcode$/)
})

test.each(NAMES)('a part of a form that is called "$name": $why', async ({ value }) => {
  const parts = [
    ['filename', 'fine.gcode'],
    ['file', { bytes: 'G28\n', name: value.replaceAll(/["\r\n]/g, '') }],
  ] as const
  const { status, json } = await sendForm(server, FILES, parts)
  // The name of the part is not looked at.
  expect([status, json]).toMatchObject([201, { filename: 'fine.gcode' }])
})

test.each(NAMES)('rename to "$name": $why', async ({ value }) => {
  const answer = await server.call('PATCH', `${FILES}${bystander.id}/`, { body: { filename: value } })
  if (answer.status === 200) await expectServed(GCodeFileSaved.parse(answer.json), value)
  else expectRefusal(answer, 'filename')
})

test.each(NAMES)('a folder named "$name": $why', async ({ value }) => {
  const answer = await server.call('POST', '/api/v1/g_code_folders/', { body: { name: value } })
  if (answer.status !== 201) {
    expectRefusal(answer, 'name')
    return
  }
  const folder = GCodeFolderFlat.parse(answer.json)
  expect(folder.name).toBe(value.normalize('NFC').trim())
  const { json } = await server.call('GET', `/api/v1/g_code_folders/${folder.id}/`)
  expect(json).toMatchObject({ name: folder.name, parent_folder: null })
})

test.each(NAMES)('searching for "$name": $why', async ({ value }) => {
  const { status } = await server.call('GET', `${FILES}?q=${encodeURIComponent(Buffer.from(value).toString())}`)
  expect(value.includes('\0') || value.length > 1000 ? 400 : 200).toBe(status)
})
