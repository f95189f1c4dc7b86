import { expect, test } from 'vitest'
import { sourceLists } from './lists.js'

const folder = (id: number) => ({ id, name: `folder ${id}`, parent_folder: null })
const source = (answer: (path: string) => unknown) => {
  const asked: string[] = []
  return {
    asked,
    base: new URL('https://old.example'),
    json: async (path: string) => {
      asked.push(path)
      return answer(path)
    },
    openFile: () => Promise.reject(new Error('no file is asked for')),
  }
}

test.each([
  { name: 'that ends with an empty page', pages: [[1, 2], [3], []], ids: [[1, 2], [3]], asked: 3 },
  { name: 'of which a thing comes twice', pages: [[1, 2], [2, 3], []], ids: [[1, 2], [3]], asked: 3 },
  {
    name: 'that is the same on every page',
    pages: [
      [1, 2],
      [1, 2],
      [1, 2],
      [1, 2],
    ],
    ids: [[1, 2]],
    asked: 2,
  },
])('a list $name', async ({ pages, ids, asked }) => {
  const from = source((path) => pages[Number(new URL(path, 'http://x').searchParams.get('page')) - 1]?.map(folder))
  const seen: number[][] = []
  for await (const page of sourceLists(from, () => {}).folders()) seen.push(page.map(({ id }) => id))
  expect(seen).toEqual(ids)
  expect(from.asked).toHaveLength(asked)
})
