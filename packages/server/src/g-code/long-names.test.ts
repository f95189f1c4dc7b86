import { randomInt } from 'node:crypto'
import { GCodeFolderFlat, MAX_NAME_LENGTH } from '@printwarden/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'
import { sendForm, upload } from './testing.js'

// The longest names, in letters of three bytes that no engine can press together: more than PostgreSQL keeps of a text in an index.

let server: TestServer
let agentToken: string

beforeAll(async () => {
  server = await startTestServer()
  agentToken = (await server.addPrinter(server.owner.id, 'Printer')).auth_token
})

afterAll(() => server.close())

/** So many different Chinese characters. */
const wide = (length: number): string =>
  String.fromCharCode(...Array.from({ length }, () => 0x4e00 + randomInt(0x5000)))

const FOLDERS = '/api/v1/g_code_folders/'
const REPORTS = '/api/v1/agent/g_code_files/'

test('a folder may have the longest name, once in each place, and differ from another in its last character', async () => {
  const name = wide(MAX_NAME_LENGTH)
  const add = async (body: object) => {
    const { status, json } = await server.call('POST', FOLDERS, { body })
    return { status, folder: GCodeFolderFlat.safeParse(json).data }
  }
  const { status, folder } = await add({ name })
  expect(status).toBe(201)
  expect([folder?.name === name, folder?.safe_name === name]).toEqual([true, true])
  expect((await add({ name })).status).toBe(400)
  expect((await add({ name: `${name.slice(0, -1)}一` })).status).toBe(201)
  expect((await add({ name, parent_folder: folder?.id })).status).toBe(201)
  const changed = await server.call('PATCH', `${FOLDERS}${folder?.id}/`, { body: { name: wide(MAX_NAME_LENGTH) } })
  expect(changed.status).toBe(200)
})

test('a file may have the longest name, also one that an agent tells of and finds again', async () => {
  const longest = () => `${wide(MAX_NAME_LENGTH - 6)}.gcode`
  const filename = longest()
  expect((await upload(server, filename)).filename === filename).toBe(true)

  const agent_signature = wide(256)
  const report = async (safe_filename: string) => {
    const form = Object.entries({ safe_filename, agent_signature, filename })
    const { status, json } = await sendForm(server, REPORTS, form, { token: agentToken })
    return { status, id: (json as { id?: number }).id }
  }
  const told = await report(filename)
  expect(told.status).toBe(201)
  expect(await report(filename)).toEqual({ status: 200, id: told.id })
  expect((await report(longest())).status).toBe(201)
})
