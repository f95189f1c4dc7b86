import { GCodeFolder, GCodeFolderFlat } from '@printwarden/protocol'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { startTestServer, type TestServer } from '../testing.js'
import { MAX_DEPTH } from './folder-tree.js'
import { blobsOf, upload } from './testing.js'

const FOLDERS = '/api/v1/g_code_folders/'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.close())

beforeEach(async () => {
  await server.database.db.deleteFrom('g_code_folders').execute()
})

async function add(name: string, parent_folder: number | null = null, token?: string): Promise<number> {
  const body = { name, parent_folder }
  const answer = await server.call('POST', FOLDERS, { body, ...(token === undefined ? {} : { token }) })
  if (answer.status !== 201) throw new Error(answer.text)
  return GCodeFolderFlat.parse(answer.json).id
}

const change = (id: number, body: object, method = 'PATCH') => server.call(method, `${FOLDERS}${id}/`, { body })

async function show(id: number): Promise<GCodeFolder> {
  return GCodeFolder.parse((await server.call('GET', `${FOLDERS}${id}/`)).json)
}

const names = async (query: string): Promise<string[]> => {
  const { json } = await server.call('GET', `${FOLDERS}${query}`)
  return z
    .array(GCodeFolder)
    .parse(json)
    .map(({ name }) => name)
}

test('folders lie in each other and know what is in them', async () => {
  const top = await add('Kunde Müller')
  const middle = await add('2026', top)
  const bottom = await add('März', middle)
  await upload(server, 'a.gcode', 'G28', { parent_folder: middle })
  expect(await show(middle)).toMatchObject({
    name: '2026',
    g_code_folder_count: 1,
    g_code_file_count: 1,
    parent_folder: { id: top, safe_name: 'Kunde_Müller', parent_folder: null, g_code_folder_count: 1 },
  })
  // One level is told whole, what lies above it by its id.
  expect((await show(bottom)).parent_folder).toMatchObject({ id: middle, parent_folder: top })
})

test('a name is taken once in each place, as it is told apart', async () => {
  const parts = await add('Parts')
  await add('a b', parts)
  await add('a b')
  for (const name of ['a b', 'a-b', 'a_b', ' a b ']) {
    const answer = await server.call('POST', FOLDERS, { body: { name, parent_folder: parts } })
    expect([answer.status, answer.json]).toMatchObject([400, { issues: [{ path: 'name' }] }])
  }
  const other = await add('other', parts)
  expect(await change(other, { name: 'a?b' })).toMatchObject({ status: 400, json: { issues: [{ path: 'name' }] } })
  const loose = await add('A b')
  expect(await change(loose, { name: 'a b' })).toMatchObject({ status: 400 })
  expect(await change(loose, { name: 'A  b' })).toMatchObject({ status: 200, json: { safe_name: 'A__b' } })
  await add('Parts', null, server.other.token)
})

test('a folder is renamed and moved, but not into itself', async () => {
  const [a, b] = [await add('a'), await add('b')]
  const inner = await add('inner', a)
  expect(
    await change(inner, { name: 'x', parent_folder: b, safe_name: 'y', g_code_file_count: 9, id: 7 }),
  ).toMatchObject({
    status: 200,
    json: { id: inner, name: 'x', safe_name: 'x', parent_folder: b, g_code_file_count: 0 },
  })
  expect(await change(inner, { name: 'y' }, 'PUT')).toMatchObject({
    status: 200,
    json: { name: 'y', parent_folder: b },
  })
  expect(await change(inner, { parent_folder: null }, 'PUT')).toMatchObject({ status: 400 })
  for (const target of [b, inner]) {
    const { status, json } = await change(b, { parent_folder: target })
    expect([status, json]).toMatchObject([400, { issues: [{ path: 'parent_folder' }] }])
  }
  for (const target of [9999, 'x', -1, 1.5, 2 ** 53]) {
    expect([target, (await change(b, { parent_folder: target })).status]).toEqual([target, 400])
  }
  expect(await change(inner, { parent_folder: null })).toMatchObject({ json: { parent_folder: null } })
  expect(await change(inner, {})).toMatchObject({ status: 200, json: { name: 'y', parent_folder: null } })
})

test('moves at the same time cannot close a circle', async () => {
  for (let round = 0; round < 10; round += 1) {
    const [a, b] = [await add(`a${round}`), await add(`b${round}`)]
    const answers = await Promise.all([change(a, { parent_folder: b }), change(b, { parent_folder: a })])
    expect(answers.map(({ status }) => status).sort((left, right) => left - right)).toEqual([200, 400])
    const parents = [(await show(a)).parent_folder, (await show(b)).parent_folder]
    expect(parents.filter((parent) => parent === null)).toHaveLength(1)
  }
})

test('of folders of one name made at the same time one is', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => server.call('POST', FOLDERS, { body: { name: 'same' } })),
  )
  expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([
    201,
    ...Array.from({ length: 7 }, () => 400),
  ])
})

test('a folder goes with everything in it, bytes included', async () => {
  const before = await blobsOf(server)
  const top = await add('top')
  const inner = await add('inner', top)
  const kept = await upload(server, 'kept.gcode')
  const file = await upload(server, 'lost.gcode', 'G28', { parent_folder: inner })
  expect(await server.call('DELETE', `${FOLDERS}${top}/`)).toMatchObject({ status: 200, text: '' })
  expect((await server.call('GET', `${FOLDERS}${inner}/`)).status).toBe(404)
  expect((await server.call('GET', `/api/v1/g_code_files/${file.id}/`)).status).toBe(404)
  expect((await fetch(file.url ?? '')).status).toBe(404)
  const row = await server.database.db
    .selectFrom('g_code_files')
    .selectAll()
    .where('id', '=', file.id)
    .executeTakeFirstOrThrow()
  expect(row).toMatchObject({ deleted_by_cascade: 1, blob_key: null, deleted_at: expect.any(Number) })
  expect(await blobsOf(server)).toHaveLength(before.length + 1)
  expect((await server.call('GET', `/api/v1/g_code_files/${kept.id}/`)).status).toBe(200)
  for (const [method, tail, body] of [
    ['GET', ''],
    ['PATCH', '', {}],
    ['DELETE', ''],
  ] as const) {
    expect((await server.call(method, `${FOLDERS}${top}/${tail}`, { body })).status).toBe(404)
  }
})

test('several are moved and deleted together, all or none', async () => {
  const [a, b, target] = [await add('a'), await add('b'), await add('target')]
  const inner = await add('inner', a)
  const theirs = await add('theirs', null, server.other.token)
  const move = (folder_ids: number[], parent_folder: number | null) =>
    server.call('POST', `${FOLDERS}bulk_move/`, { body: { folder_ids, parent_folder } })
  expect(await move([a, b, b, theirs, 999_999], target)).toMatchObject({ status: 200, json: { moved: 2 } })
  expect((await show(a)).parent_folder?.id).toBe(target)
  expect(await move([b, target], inner)).toMatchObject({ status: 400, json: { issues: [{ path: 'parent_folder' }] } })
  expect((await show(b)).parent_folder?.id).toBe(target)
  await add('b')
  expect(await move([a, b], null)).toMatchObject({ status: 400, json: { detail: expect.stringContaining('b') } })
  expect((await show(a)).parent_folder?.id).toBe(target)
  expect(await move([a], 9999)).toMatchObject({ status: 400 })
  const remove = (folder_ids: number[]) => server.call('POST', `${FOLDERS}bulk_delete/`, { body: { folder_ids } })
  expect(await remove([target, b, theirs, 999_999])).toMatchObject({ status: 200, json: { deleted: 2 } })
  expect(await names('')).toEqual(['b'])
  expect((await server.call('GET', `${FOLDERS}${theirs}/`, { token: server.other.token })).status).toBe(200)
})

test('a list comes in pages, sorted, of one place or of all', async () => {
  const top = await add('b')
  server.clock.advance(1000)
  await add('a', top)
  server.clock.advance(1000)
  await add('c')
  expect(await names('')).toEqual(['c', 'a', 'b'])
  expect(await names('?sorting=name_asc')).toEqual(['a', 'b', 'c'])
  expect(await names('?sorting=name_desc&page_size=2&page=2')).toEqual(['a'])
  expect(await names('?sorting=created_at_asc&parent_folder=null')).toEqual(['b', 'c'])
  expect(await names(`?parent_folder=${top}`)).toEqual(['a'])
  expect(await names('?q=A')).toEqual(['a'])
  expect(await names('?page=5')).toEqual([])
  const { headers } = await server.call('GET', `${FOLDERS}?page_size=1`)
  expect([headers.get('x-total-count'), headers.get('link')]).toEqual(['3', expect.stringContaining('rel="next"')])
  for (const query of ['page=0', 'page_size=201', 'sorting=num_bytes_asc', 'parent_folder=x']) {
    expect([query, (await server.call('GET', `${FOLDERS}?${query}`)).status]).toEqual([query, 400])
  }
})

test("what is another's answers as what is missing, byte for byte", async () => {
  const theirs = await add('theirs', null, server.other.token)
  for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['PUT', { name: 'x' }], ['DELETE']] as const) {
    const answers = await Promise.all([theirs, 999_999].map((id) => server.call(method, `${FOLDERS}${id}/`, { body })))
    expect(answers.map(({ status }) => status)).toEqual([404, 404])
    expect(answers[0]?.text).toBe(answers[1]?.text)
  }
  const created = await Promise.all(
    [theirs, 999_999].map((id) => server.call('POST', FOLDERS, { body: { name: 'x', parent_folder: id } })),
  )
  expect(created.map(({ status }) => status)).toEqual([400, 400])
  expect(created[0]?.text).toBe(created[1]?.text)
})

test('folders lie in each other only so deep', async () => {
  let parent: number | null = null
  for (let depth = 1; depth <= MAX_DEPTH; depth += 1) parent = await add(`level ${depth}`, parent)
  const answer = await server.call('POST', FOLDERS, { body: { name: 'deeper', parent_folder: parent } })
  expect([answer.status, answer.json]).toMatchObject([400, { issues: [{ path: 'parent_folder' }] }])
})
