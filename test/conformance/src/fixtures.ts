import { readdir, readFile } from 'node:fs/promises'
import { MESSAGES_FOLDER } from '#messages-folder'
import { z } from 'zod'

const Part = z.union([z.string(), z.object({ repeat: z.string(), times: z.int() })])

const FixtureFile = z.object({
  name: z.string(),
  note: z.string(),
  message: z.unknown().optional(),
  raw: z.union([z.string(), z.array(Part)]).optional(),
})

const InvalidFile = FixtureFile.extend({
  expect: z.union([
    z.strictObject({ error: z.object({ path: z.string().optional() }) }),
    z.strictObject({ close: z.int() }),
  ]),
})

/** A frame of an agent, as in `test/fixtures/messages`. */
export interface Fixture {
  readonly name: string
  readonly note: string
  /** The exact text of the frame. */
  readonly text: string
}

/** What the server must do with an invalid frame. */
export type Expected = z.infer<typeof InvalidFile>['expect']

export async function readValidFixtures(): Promise<Fixture[]> {
  return (await readFiles('valid')).map((file) => asFixture(FixtureFile.parse(file)))
}

export async function readInvalidFixtures(): Promise<(Fixture & { expected: Expected })[]> {
  return (await readFiles('invalid')).map((file) => {
    const invalid = InvalidFile.parse(file)
    return { ...asFixture(invalid), expected: invalid.expect }
  })
}

async function readFiles(kind: 'valid' | 'invalid'): Promise<unknown[]> {
  const folder = new URL(`${kind}/`, MESSAGES_FOLDER)
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort()
  return Promise.all(names.map(async (name) => JSON.parse(await readFile(new URL(name, folder), 'utf8'))))
}

function asFixture({ name, note, message, raw }: z.infer<typeof FixtureFile>): Fixture {
  const parts = raw === undefined ? [JSON.stringify(message)] : [raw].flat()
  const text = parts.map((part) => (typeof part === 'string' ? part : part.repeat.repeat(part.times))).join('')
  return { name, note, text }
}
