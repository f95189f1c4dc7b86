import { readFileSync } from 'node:fs'
import { z } from 'zod'

// The corpus of test/fixtures/hostile, for tests.

const Text = z
  .union([z.string(), z.array(z.union([z.string(), z.object({ repeat: z.string(), times: z.int() })]))])
  .transform((parts) =>
    [parts]
      .flat()
      .reduce<string>((text, part) => text + (typeof part === 'string' ? part : part.repeat.repeat(part.times)), ''),
  )

const row = { name: z.string(), why: z.string() }

function read<Row extends z.ZodType>(file: string, schema: Row): z.output<Row>[] {
  const url = new URL(`../../../../test/fixtures/hostile/${file}`, import.meta.url)
  return z.array(schema).parse(JSON.parse(readFileSync(url, 'utf8')))
}

/** For every text field. */
export const hostileStrings = () => read('strings.json', z.object({ ...row, value: Text }))

/** For every number: the text of a JSON value. */
export const hostileNumbers = () => read('numbers.json', z.object({ ...row, json: z.string() }))

const Body = z
  .object({
    ...row,
    type: z.string().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    body: Text.optional(),
    base64: z.string().optional(),
  })
  .transform(({ body = '', base64, ...rest }) => ({
    ...rest,
    bytes: base64 === undefined ? Buffer.from(body) : Buffer.from(base64, 'base64'),
  }))

/** Bodies that no endpoint takes as they are. */
export const hostileBodies = () => read('bodies.json', Body)

/** Damaged, smuggled and doubled forms. */
export const hostileForms = () => read('multipart.json', Body)
