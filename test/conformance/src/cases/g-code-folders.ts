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
} from '../expect.js'
import { unusedName } from '../g-code.js'
import type { Case } from '../run.js'
import { ContractFolder } from '../shapes.js'

const LIST = '/api/v1/g_code_folders/'
const FILES = '/api/v1/g_code_files/'
const CONTRACT = { group: 'contract', section: 'api.md §4.5' } as const
const FIELDS = { group: 'decisions', section: 'decision 7' } as const
const LISTS = { group: 'decisions', section: 'decision 6' } as const
const BULK = { group: 'decisions', section: 'decision 5' } as const

/** A folder as existing clients read it. */
const GCodeFolder = z.looseObject({
  id: z.int().positive(),
  name: z.string(),
  safe_name: z.string(),
  parent_folder: z.looseObject({ id: z.int() }).nullable(),
  g_code_folder_count: z.int(),
  g_code_file_count: z.int(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})

const pathOf = (id: number): string => `${LIST}${id}/`

async function get({ owner }: Context, id: number): Promise<z.infer<typeof GCodeFolder>> {
  return expectBody(await owner.get(pathOf(id)), GCodeFolder)
}

async function listIds({ owner }: Context, query = '?page_size=200'): Promise<number[]> {
  return expectBody(await owner.get(`${LIST}${query}`), z.array(ContractFolder)).map(({ id }) => id)
}

export const gCodeFoldersCases: readonly Case[] = [
  {
    ...CONTRACT,
    id: 'g-code-folders/create',
    title: 'A folder that was created is in the list, and alone under its id',
    async run(ctx) {
      const { id } = await ctx.newFolder()
      expectTrue((await listIds(ctx)).includes(id), 'the list lacks it')
      expectEqual(expectBody(await ctx.owner.get(pathOf(id)), ContractFolder).id, id, 'the id')
    },
  },
  {
    ...CONTRACT,
    id: 'g-code-folders/update',
    title: 'PATCH changes a folder, which GET shows afterwards',
    async run(ctx) {
      const { id } = await ctx.newFolder()
      const name = unusedName('renamed')
      expectStatus(await ctx.owner.patch(pathOf(id), { name }), 200)
      expectTrue((await ctx.owner.get(pathOf(id))).text.includes(name), 'the new name is not shown')
    },
  },
  {
    ...CONTRACT,
    id: 'g-code-folders/delete',
    title: 'A folder that was deleted is gone',
    async run(ctx) {
      const { id } = await ctx.newFolder()
      expectStatus(await ctx.owner.delete(pathOf(id)), 200)
      expectStatus(await ctx.owner.get(pathOf(id)), 404)
      expectTrue(!(await listIds(ctx)).includes(id), 'the list still holds it')
    },
  },
  {
    ...CONTRACT,
    id: 'g-code-folders/others-hidden',
    title: "The list holds nobody else's folders",
    async run(ctx) {
      const { id } = await ctx.newFolder()
      const stranger = ctx.anonymous.as(ctx.target.tokens.other)
      const folders = expectBody(await stranger.get(LIST), z.array(ContractFolder))
      expectTrue(!folders.some((folder) => folder.id === id), "the list holds another user's folder")
    },
  },
  {
    ...BULK,
    id: 'g-code-folders/delete-empty-body',
    title: 'DELETE is 200 with an empty body',
    async run(ctx) {
      const { id } = await ctx.newFolder()
      const answer = await ctx.owner.delete(pathOf(id))
      expectStatus(answer, 200)
      expectEqual(answer.bytes.byteLength, 0, 'the length of the body')
    },
  },
  {
    ...BULK,
    id: 'g-code-folders/delete-contents',
    title: 'With a folder goes what is in it, folders and files',
    async run(ctx) {
      const outer = await ctx.newFolder()
      const inner = await ctx.newFolder(undefined, outer.id)
      const file = await ctx.newFile(undefined, undefined, { parent_folder: String(inner.id) })
      const kept = await ctx.newFile()
      expectStatus(await ctx.owner.delete(pathOf(outer.id)), 200)
      expectStatus(await ctx.owner.get(pathOf(inner.id)), 404)
      expectStatus(await ctx.owner.get(`${FILES}${file.id}/`), 404)
      expectStatus(await ctx.owner.get(`${FILES}${kept.id}/`), 200)
    },
  },
  {
    ...FIELDS,
    id: 'g-code-folders/shape',
    title: 'Folders have every field with its type, their parent as an object, and count what is in them',
    async run(ctx) {
      const outer = await ctx.newFolder()
      const inner = await ctx.newFolder(undefined, outer.id)
      await ctx.newFile(undefined, undefined, { parent_folder: String(outer.id) })
      expectBody(await ctx.owner.get(LIST), z.array(GCodeFolder))
      const { g_code_folder_count, g_code_file_count } = await get(ctx, outer.id)
      expectEqual([g_code_folder_count, g_code_file_count], [1, 1], 'the counts')
      expectEqual((await get(ctx, inner.id)).parent_folder?.id, outer.id, 'the parent')
    },
  },
  {
    ...FIELDS,
    id: 'g-code-folders/unique',
    title: 'Two folders beside each other cannot have one safe_name: 400; in another folder they can',
    async run(ctx) {
      const name = unusedName('parts')
      const first = await ctx.newFolder(name)
      expectProblem(await ctx.owner.post(LIST, { name }), 400, 'invalid_request')
      expectProblem(await ctx.owner.post(LIST, { name: name.replace(' ', '+') }), 400, 'invalid_request')
      await ctx.newFolder(name, first.id)
      const other = await ctx.newFolder()
      expectProblem(await ctx.owner.patch(pathOf(other.id), { name }), 400, 'invalid_request')
    },
  },
  {
    ...FIELDS,
    id: 'g-code-folders/no-cycle',
    title: 'A folder cannot be moved into itself or into a folder inside it',
    async run(ctx) {
      const outer = await ctx.newFolder()
      const inner = await ctx.newFolder(undefined, outer.id)
      for (const parent_folder of [outer.id, inner.id]) {
        const { status } = await ctx.owner.patch(pathOf(outer.id), { parent_folder })
        expectTrue(status === 400 || status === 409, `PATCH answered ${status}`)
      }
      expectEqual((await get(ctx, outer.id)).parent_folder, null, 'the parent')
    },
  },
  {
    ...FIELDS,
    id: 'g-code-folders/wrong-type',
    title: 'A folder needs a name; a wrong type is 400 and changes nothing',
    async run(ctx) {
      for (const body of [{}, { name: '' }, { name: 7 }, { name: 'x', parent_folder: 'y' }]) {
        expectProblem(await ctx.owner.post(LIST, body), 400, 'invalid_request')
      }
      const { id } = await ctx.newFolder()
      const before = await get(ctx, id)
      expectProblem(await ctx.owner.patch(pathOf(id), { name: ['x'] }), 400, 'invalid_request')
      expectEqual((await get(ctx, id)).name, before.name, 'the name')
    },
  },
  {
    ...LISTS,
    id: 'g-code-folders/pages',
    title: 'Folders come in pages, with X-Total-Count; beyond the last page there is nothing',
    async run(ctx) {
      const parent = await ctx.newFolder()
      const children = [await ctx.newFolder(undefined, parent.id), await ctx.newFolder(undefined, parent.id)]
      const query = `?parent_folder=${parent.id}`
      const answer = await ctx.owner.get(`${LIST}${query}&page_size=1`)
      expectEqual(expectHeader(answer, 'x-total-count'), String(children.length), 'X-Total-Count')
      const pages = [await listIds(ctx, `${query}&page_size=1`), await listIds(ctx, `${query}&page_size=1&page=2`)]
      const made = children.map(({ id }) => id)
      expectSameIds(pages.flat(), made, 'the folders of both pages')
      expectEqual(await listIds(ctx, `${query}&page_size=1&page=3`), [], 'what is beyond the last page')
      expectProblem(await ctx.owner.get(`${LIST}?page_size=201`), 400, 'invalid_request')
    },
  },
  {
    ...LISTS,
    id: 'g-code-folders/sorting',
    title: 'Folders are sorted by name or time, newest first without sorting',
    async run(ctx) {
      const parent = await ctx.newFolder()
      const [b, a] = [await ctx.newFolder('bbb', parent.id), await ctx.newFolder('aaa', parent.id)]
      const query = `?parent_folder=${parent.id}`
      expectEqual(await listIds(ctx, query), [a.id, b.id], 'the order without sorting')
      expectEqual(await listIds(ctx, `${query}&sorting=created_at_asc`), [b.id, a.id], 'the order of created_at_asc')
      expectEqual(await listIds(ctx, `${query}&sorting=name_desc`), [b.id, a.id], 'the order of name_desc')
      expectEqual(await listIds(ctx, `${query}&sorting=name_asc`), [a.id, b.id], 'the order of name_asc')
    },
  },
  {
    ...BULK,
    id: 'g-code-folders/bulk-delete',
    title: 'bulk_delete answers how many it deleted, and ignores unknown ids and those of others',
    async run(ctx) {
      const folder_ids = [(await ctx.newFolder()).id, (await ctx.newFolder()).id, 999_999_999]
      const Deleted = z.object({ deleted: z.int() })
      const stranger = ctx.anonymous.as(ctx.target.tokens.other)
      const foreign = expectBody(await stranger.post(`${LIST}bulk_delete/`, { folder_ids }), Deleted)
      expectEqual(foreign.deleted, 0, 'the number for another user')
      const own = expectBody(await ctx.owner.post(`${LIST}bulk_delete/`, { folder_ids }), Deleted)
      expectEqual(own.deleted, 2, 'the number')
      expectStatus(await ctx.owner.get(pathOf(folder_ids[0] ?? 0)), 404)
    },
  },
  {
    ...BULK,
    id: 'g-code-folders/bulk-move',
    title: 'bulk_move answers how many it moved',
    async run(ctx) {
      const parent = await ctx.newFolder()
      const folder_ids = [(await ctx.newFolder()).id, (await ctx.newFolder()).id]
      const answer = await ctx.owner.post(`${LIST}bulk_move/`, { folder_ids, parent_folder: parent.id })
      expectEqual(expectBody(answer, z.object({ moved: z.int() })).moved, 2, 'the number')
      expectSameIds(await listIds(ctx, `?parent_folder=${parent.id}`), folder_ids, 'what is in it')
    },
  },
]
