import { endpoints } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkedSerializer, serializerOf } from './serializer.js'

const Leaf = z.object({ name: z.string(), size: z.int(), when: z.iso.datetime().nullable() }).meta({ id: 'TestLeaf' })
const Tree = z.object({
  id: z.int().positive(),
  ratio: z.number(),
  leaf: Leaf.nullable(),
  leaves: z.array(Leaf),
  note: z.string().optional(),
  more: z.looseObject({ known: z.boolean().optional() }),
  kind: z.enum(['a', 'b']),
})

const leaf = { name: 'a "quoted"\n\u2028 name', size: 3, when: null }
const tree = { id: 1, ratio: 0.1, leaf, leaves: [leaf], more: { known: true, x: [1, { y: null }] }, kind: 'a' }

test.each([
  ['as it is', tree],
  ['without what may be null', { ...tree, leaf: null, leaves: [] }],
  ['with an optional field', { ...tree, note: 'x' }],
  ['with a field that nobody asked for', { ...tree, secret: 'x', leaf: { ...leaf, secret: 'x' } }],
  ['with numbers that are hard to write', { ...tree, ratio: -0, id: 2 ** 53 - 1 }],
  ['with text that is hard to write', { ...tree, note: '\ud83d\udda8 \u0000 "\\ </script>'.repeat(40) }],
])('says the same as a checked answer: %s', (_case, value) => {
  expect(JSON.parse(serializerOf(Tree)(value))).toEqual(JSON.parse(checkedSerializer(Tree)(value)))
})

test('refuses an answer without a required field', () => {
  expect(() => serializerOf(Leaf)({ name: 'x', size: 1 })).toThrow(/when/)
  expect(() => serializerOf(Tree)({ ...tree, leaf: { name: 'x' } })).toThrow(/required/)
})

test.each([
  ['a tuple', z.object({ box: z.tuple([z.number(), z.string()]) }), { box: [1, 'x'] }],
  ['one of several', z.object({ is: z.union([z.string(), z.number()]) }), { is: 4 }],
  ['keys of their own', z.record(z.string(), z.number()), { a: 1 }],
  ['a changed value', z.object({ a: z.string().transform((text) => text.length) }), { a: 'xyz' }],
])('checks what cannot be compiled: %s', (_case, schema, value) => {
  expect(serializerOf(schema)(value)).toBe(checkedSerializer(schema)(value))
  expect(() => serializerOf(schema)({ a: {}, box: 1, is: {} })).toThrow(z.ZodError)
})

test('the answers that are asked for most are compiled', () => {
  for (const { output } of [endpoints.listPrinters, endpoints.getPrinter, endpoints.listPrints, endpoints.getPrint]) {
    if (output === undefined) throw new Error('these answer something')
    expect(() => serializerOf(output)(0)).not.toThrow(z.ZodError)
  }
})
