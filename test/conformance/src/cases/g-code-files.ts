import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Context } from '../context.js'
import {
  expectBody,
  expectEqual,
  expectHeader,
  expectProblem,
  expectSameIds,
  expectStatus,
  expectTrue,
  show,
} from '../expect.js'
import { G_CODE, unusedName, uploadForm } from '../g-code.js'
import type { Case } from '../run.js'
import { ContractFile } from '../shapes.js'

const LIST = '/api/v1/g_code_files/'
const CONTRACT = { group: 'contract', section: 'api.md §4.4' } as const
const FIELDS = { group: 'decisions', section: 'decision 7' } as const
const UPLOADS = { group: 'decisions', section: 'decision 10' } as const
const LISTS = { group: 'decisions', section: 'decision 6' } as const
const BULK = { group: 'decisions', section: 'decision 5' } as const

/** A stored file as existing clients read it. */
const GCodeFile = z.looseObject({
  id: z.int().positive(),
  filename: z.string(),
  safe_filename: z.string(),
  url: z.string().nullable(),
  num_bytes: z.int().nullable(),
  parent_folder: z.looseObject({ id: z.int() }).nullable(),
  agent_signature: z.string().nullable(),
  metadata_json: z.string().nullable(),
  filament_total: z.number().nullable(),
  estimated_time: z.number().nullable(),
  thumbnail1_url: z.string().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  deleted: z.iso.datetime().nullable(),
  resident_printer: z.int().nullable(),
})

const pathOf = (id: number): string => `${LIST}${id}/`

async function get({ owner }: Context, id: number): Promise<z.infer<typeof GCodeFile>> {
  return expectBody(await owner.get(pathOf(id)), GCodeFile)
}

async function listIds({ owner }: Context, query = ''): Promise<number[]> {
  return expectBody(await owner.get(`${LIST}${query}`), z.array(ContractFile)).map(({ id }) => id)
}

/** Lists of the kit's own files alone, found by a word that only they have. */
async function listOf(ctx: Context, word: string, query: string): Promise<number[]> {
  return listIds(ctx, `?q=${word}${query}`)
}

/** Three files that have a word in common, in the order in which they were made. */
async function threeFiles(ctx: Context): Promise<{ word: string; ids: number[] }> {
  const word = unusedName('').trim()
  const ids: number[] = []
  for (const name of ['bbb', 'aaa', 'ccc']) ids.push((await ctx.newFile(`${name}-${word}.gcode`)).id)
  return { word, ids }
}

export const gCodeFilesCases: readonly Case[] = [
  {
    ...CONTRACT,
    id: 'g-code-files/upload',
    title: 'An uploaded file is in the list, and alone under its id',
    async run(ctx) {
      const { id } = await ctx.newFile()
      expectTrue((await listIds(ctx)).includes(id), 'the list lacks it')
      expectEqual(expectBody(await ctx.owner.get(pathOf(id)), ContractFile).id, id, 'the id')
    },
  },
  {
    ...CONTRACT,
    id: 'g-code-files/page-size',
    title: 'page_size bounds a page, and page chooses it; pages do not overlap',
    async run(ctx) {
      for (let count = 0; count < 3; count += 1) await ctx.newFile()
      const first = await listIds(ctx, '?page=1&page_size=2')
      const second = await listIds(ctx, '?page=2&page_size=1')
      expectEqual(first.length, 2, 'the number of files on a page of two')
      expectEqual(second, first.slice(1, 2), 'the second page of one')
    },
  },
  {
    ...CONTRACT,
    id: 'g-code-files/update',
    title: 'PATCH changes a file, which GET shows afterwards',
    async run(ctx) {
      const { id } = await ctx.newFile()
      const filename = unusedName('renamed.gcode')
      expectStatus(await ctx.owner.patch(pathOf(id), { filename }), 200)
      expectTrue((await ctx.owner.get(pathOf(id))).text.includes(filename), 'the new name is not shown')
    },
  },
  {
    ...CONTRACT,
    id: 'g-code-files/delete',
    title: 'DELETE is 200 with an empty body, and the file is gone',
    async run(ctx) {
      const { id } = await ctx.newFile()
      const answer = await ctx.owner.delete(pathOf(id))
      expectStatus(answer, 200)
      expectEqual(answer.bytes.byteLength, 0, 'the length of the body')
      expectStatus(await ctx.owner.get(pathOf(id)), 404)
      expectStatus(await ctx.owner.delete(pathOf(id)), 404)
      expectTrue(!(await listIds(ctx)).includes(id), 'the list still holds it')
    },
  },
  {
    ...CONTRACT,
    id: 'g-code-files/others-hidden',
    title: "The list holds nobody else's files",
    async run(ctx) {
      const { id } = await ctx.newFile()
      const stranger = ctx.anonymous.as(ctx.target.tokens.other)
      const files = expectBody(await stranger.get(LIST), z.array(ContractFile))
      expectTrue(!files.some((file) => file.id === id), "the list holds another user's file")
    },
  },
  {
    ...FIELDS,
    id: 'g-code-files/shape',
    title: 'Files in the list and alone have every field with its type',
    async run(ctx) {
      const { id } = await ctx.newFile(undefined, G_CODE)
      expectBody(await ctx.owner.get(LIST), z.array(GCodeFile))
      const file = await get(ctx, id)
      expectEqual(file.num_bytes, Buffer.byteLength(G_CODE), 'num_bytes')
      expectEqual([file.parent_folder, file.deleted, file.resident_printer], [null, null, null], 'what is null')
    },
  },
  {
    ...FIELDS,
    id: 'g-code-files/safe-filename',
    title: 'safe_filename has _ in place of what is special, also after a new name',
    async run(ctx) {
      const { id } = await ctx.newFile('a b+c (1).gcode')
      expectEqual((await get(ctx, id)).safe_filename, 'a_b_c__1_.gcode', 'safe_filename')
      expectStatus(await ctx.owner.patch(pathOf(id), { filename: 'x:y.gcode' }), 200)
      expectEqual((await get(ctx, id)).safe_filename, 'x_y.gcode', 'safe_filename after the change')
    },
  },
  {
    ...FIELDS,
    id: 'g-code-files/download',
    title: 'The url gives the bytes that were uploaded, without any token, as they were',
    async run(ctx) {
      const { id } = await ctx.newFile(undefined, `${G_CODE}; ${'x'.repeat(100_000)}\n`)
      const { url } = await get(ctx, id)
      const response = await fetch(url ?? '', { signal: ctx.signal })
      expectEqual(response.status, 200, 'the status')
      const bytes = Buffer.from(await response.arrayBuffer())
      expectEqual(bytes.toString(), `${G_CODE}; ${'x'.repeat(100_000)}\n`, 'the file')
      expectEqual(response.headers.get('x-content-type-options'), 'nosniff', 'X-Content-Type-Options')
    },
  },
  {
    ...FIELDS,
    id: 'g-code-files/download-signed',
    title: 'A url that was changed gives nothing; nor does that of a deleted file',
    async run(ctx) {
      const { id } = await ctx.newFile()
      const { url } = await get(ctx, id)
      const { pathname, search } = new URL(url ?? '')
      const bare = await ctx.anonymous.get(pathname)
      expectTrue(bare.status >= 400 && bare.status < 500, `without its signature it answered ${bare.status}`)
      await ctx.owner.delete(pathOf(id))
      const gone = await ctx.anonymous.get(pathname + search)
      expectTrue(gone.status >= 400 && gone.status < 500, `after the end of the file it answered ${gone.status}`)
    },
  },
  {
    ...FIELDS,
    id: 'g-code-files/read-only',
    title: 'Read-only and unknown fields in PATCH are ignored',
    async run(ctx) {
      const { id } = await ctx.newFile()
      const before = await get(ctx, id)
      const change = { id: 1, num_bytes: 1, user: 1, safe_filename: 'z', agent_signature: 'md5:1', no_such_field: 1 }
      expectStatus(await ctx.owner.patch(pathOf(id), change), 200)
      const { num_bytes, safe_filename, agent_signature } = await get(ctx, id)
      expectEqual(
        { num_bytes, safe_filename, agent_signature },
        { num_bytes: before.num_bytes, safe_filename: before.safe_filename, agent_signature: before.agent_signature },
        'the file',
      )
    },
  },
  {
    ...FIELDS,
    id: 'g-code-files/wrong-type',
    title: 'A wrong type is 400 and changes nothing',
    async run(ctx) {
      const { id } = await ctx.newFile()
      const before = await get(ctx, id)
      for (const change of [{ filename: 7 }, { filename: '' }, { parent_folder: 'x', filename: 'y.gcode' }]) {
        expectProblem(await ctx.owner.patch(pathOf(id), change), 400, 'invalid_request')
      }
      expectEqual((await get(ctx, id)).filename, before.filename, 'the name')
    },
  },
  {
    ...UPLOADS,
    id: 'g-code-files/any-bytes',
    title: 'A file may hold any bytes, and is kept as it is',
    async run(ctx) {
      const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 31) % 256)
      const answer = await ctx.owner.send('POST', LIST, { body: uploadForm(unusedName('any.bgcode'), bytes) })
      const { id } = ctx.made(LIST, expectBody(answer, ContractFile, 201))
      const { url } = await get(ctx, id)
      const stored = Buffer.from(await (await fetch(url ?? '', { signal: ctx.signal })).arrayBuffer())
      const hash = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex')
      expectEqual(hash(stored), hash(bytes), 'the hash')
    },
  },
  {
    ...UPLOADS,
    id: 'g-code-files/names',
    title: 'The name must end as G-code does: .gcode .gco .g .bgcode .3mf',
    async run(ctx) {
      for (const ending of ['gcode', 'gco', 'g', 'bgcode', '3mf', 'GCODE']) await ctx.newFile(unusedName(`x.${ending}`))
      for (const name of ['x.exe', 'x.html', 'gcode', 'x.gcode.svg']) {
        const answer = await ctx.owner.send('POST', LIST, { body: uploadForm(unusedName(name)) })
        expectTrue(answer.status === 400, `${name} was answered with ${answer.status}: ${show(answer.text)}`)
      }
    },
  },
  {
    ...UPLOADS,
    id: 'g-code-files/metadata',
    title: 'What the slicer wrote is read: time and filament',
    async run(ctx) {
      const comments = '; filament used [mm] = 1234.50\n; estimated printing time (normal mode) = 1h 2m 3s\n'
      const text = `; generated by PrusaSlicer 2.7.1 on 2024-01-01 at 00:00:00 UTC\n${G_CODE}${comments}`
      const { id } = await ctx.newFile(undefined, text)
      const { estimated_time, filament_total } = await get(ctx, id)
      expectEqual([estimated_time, filament_total], [3723, 1234.5], 'estimated_time and filament_total')
    },
  },
  {
    ...UPLOADS,
    id: 'g-code-files/agent-list',
    title: "GET /api/v1/gcodefiles/ takes an agent's auth_token and lists its owner's files",
    async run(ctx) {
      const { id } = await ctx.newFile()
      const agent = ctx.anonymous.as(ctx.target.printer.auth_token)
      const files = expectBody(await agent.get('/api/v1/gcodefiles/'), z.array(ContractFile))
      expectTrue(
        files.some((file) => file.id === id),
        'the list lacks the file',
      )
      const stranger = ctx.anonymous.as(ctx.target.other_printer.auth_token)
      const others = expectBody(await stranger.get('/api/v1/gcodefiles/'), z.array(ContractFile))
      expectTrue(!others.some((file) => file.id === id), "the list of another user's agent holds it")
    },
  },
  {
    group: 'contract',
    section: 'api.md §4.7',
    id: 'g-code-files/second-path',
    title: 'GET /api/v1/gcodefiles/ lists the files too',
    async run(ctx) {
      const { id } = await ctx.newFile()
      const files = expectBody(await ctx.owner.get('/api/v1/gcodefiles/'), z.array(ContractFile))
      expectTrue(
        files.some((file) => file.id === id),
        'the list lacks the file',
      )
    },
  },
  {
    ...LISTS,
    id: 'g-code-files/pages',
    title: 'page counts from 1; beyond the last page there is nothing; page_size is at most 200, page at least 1',
    async run(ctx) {
      await ctx.newFile()
      expectEqual(await listIds(ctx, '?page=100000'), [], 'what is beyond the last page')
      expectStatus(await ctx.owner.get(`${LIST}?page_size=200`), 200)
      for (const query of ['page=0', 'page=-1', 'page=1.5', 'page=x', 'page_size=0', 'page_size=201', 'page_size=x']) {
        expectProblem(await ctx.owner.get(`${LIST}?${query}`), 400, 'invalid_request')
      }
    },
  },
  {
    ...LISTS,
    id: 'g-code-files/total-and-links',
    title: 'X-Total-Count counts all pages, and Link names the next and the previous page where there is one',
    async run(ctx) {
      const { word, ids } = await threeFiles(ctx)
      const at = (page: number) => ctx.owner.get(`${LIST}?q=${word}&page_size=1&page=${page}`)
      expectEqual(expectHeader(await at(1), 'x-total-count'), String(ids.length), 'X-Total-Count')
      for (const [page, expected] of [
        [1, ['next']],
        [2, ['next', 'prev']],
        [3, ['prev']],
      ] as const) {
        const link = (await at(page)).headers.get('link') ?? ''
        const named = [...link.matchAll(/rel="?(\w+)"?/g)].map(([, name = '']) => name).sort()
        expectEqual(named, expected, `the relations of page ${page}`)
      }
    },
  },
  {
    ...LISTS,
    id: 'g-code-files/sorting',
    title: 'Files are sorted by name or time, newest first without sorting; another sorting is 400',
    async run(ctx) {
      const { word, ids } = await threeFiles(ctx)
      const [b, a, c] = ids
      expectEqual(await listOf(ctx, word, ''), [c, a, b], 'the order without sorting')
      expectEqual(await listOf(ctx, word, '&sorting=created_at_asc'), [b, a, c], 'the order of created_at_asc')
      expectEqual(await listOf(ctx, word, '&sorting=filename_asc'), [a, b, c], 'the order of filename_asc')
      expectEqual(await listOf(ctx, word, '&sorting=filename_desc'), [c, b, a], 'the order of filename_desc')
      expectProblem(await ctx.owner.get(`${LIST}?sorting=colour`), 400, 'invalid_request')
    },
  },
  {
    ...LISTS,
    id: 'g-code-files/search',
    title: 'q finds files by a part of their name, in any case',
    async run(ctx) {
      const word = unusedName('').trim()
      const { id } = await ctx.newFile(`Bracket-${word}-left.gcode`)
      await ctx.newFile()
      expectEqual(await listOf(ctx, word.toUpperCase(), ''), [id], 'what is found')
      expectEqual(await listOf(ctx, `${word}-right`, ''), [], 'what is found by a name that nothing has')
    },
  },
  {
    ...LISTS,
    id: 'g-code-files/folder-filter',
    title: 'parent_folder lists the files of one folder, or with null those of none',
    async run(ctx) {
      const folder = await ctx.newFolder()
      const inside = await ctx.newFile(undefined, undefined, { parent_folder: String(folder.id) })
      const outside = await ctx.newFile()
      expectEqual(await listIds(ctx, `?parent_folder=${folder.id}`), [inside.id], 'the files of the folder')
      const none = await listIds(ctx, '?parent_folder=null')
      expectTrue(none.includes(outside.id) && !none.includes(inside.id), 'the files of no folder are not right')
      expectEqual((await get(ctx, inside.id)).parent_folder?.id, folder.id, 'the folder of the file')
    },
  },
  {
    ...BULK,
    id: 'g-code-files/bulk-delete',
    title: 'bulk_delete answers how many it deleted, and ignores unknown ids and those of others',
    async run(ctx) {
      const [one, two, kept] = [await ctx.newFile(), await ctx.newFile(), await ctx.newFile()]
      const file_ids = [one.id, two.id, 999_999_999]
      const Deleted = z.object({ deleted: z.int() })
      const stranger = ctx.anonymous.as(ctx.target.tokens.other)
      const foreign = expectBody(await stranger.post(`${LIST}bulk_delete/`, { file_ids }), Deleted)
      expectEqual(foreign.deleted, 0, 'the number for another user')
      expectEqual(
        expectBody(await ctx.owner.post(`${LIST}bulk_delete/`, { file_ids }), Deleted).deleted,
        2,
        'the number',
      )
      for (const { id } of [one, two]) expectStatus(await ctx.owner.get(pathOf(id)), 404)
      await get(ctx, kept.id)
    },
  },
  {
    ...BULK,
    id: 'g-code-files/bulk-move',
    title: 'bulk_move answers how many it moved, into a folder and out of it; those of others stay',
    async run(ctx) {
      const folder = await ctx.newFolder()
      const [one, two] = [await ctx.newFile(), await ctx.newFile()]
      const move = async (parent_folder: number | null, file_ids: number[]): Promise<number> => {
        const answer = await ctx.owner.post(`${LIST}bulk_move/`, { file_ids, parent_folder })
        return expectBody(answer, z.object({ moved: z.int() })).moved
      }
      expectEqual(await move(folder.id, [one.id, two.id, 999_999_999]), 2, 'the number')
      expectSameIds(await listIds(ctx, `?parent_folder=${folder.id}`), [one.id, two.id], 'the folder')
      expectEqual(await move(null, [one.id]), 1, 'the number out of it')
      expectEqual((await get(ctx, one.id)).parent_folder, null, 'the folder of the file that was moved out')
    },
  },
  {
    ...BULK,
    id: 'g-code-files/move-to-foreign',
    title: "A file cannot be moved into another user's folder, nor into one that is not there",
    async run(ctx) {
      const stranger = ctx.anonymous.as(ctx.target.tokens.other)
      const answer = await stranger.post('/api/v1/g_code_folders/', { name: unusedName('foreign') })
      const folder = expectBody(answer, ContractFile, 201)
      const { id } = await ctx.newFile()
      for (const parent_folder of [folder.id, 999_999_999]) {
        const { status } = await ctx.owner.patch(pathOf(id), { parent_folder })
        expectTrue(status === 400 || status === 404, `PATCH answered ${status}`)
        const bulk = await ctx.owner.post(`${LIST}bulk_move/`, { file_ids: [id], parent_folder })
        expectTrue(bulk.status === 400 || bulk.status === 404, `bulk_move answered ${bulk.status}`)
      }
      expectEqual((await get(ctx, id)).parent_folder, null, 'the folder of the file')
      await stranger.delete(`/api/v1/g_code_folders/${folder.id}/`)
    },
  },
]
