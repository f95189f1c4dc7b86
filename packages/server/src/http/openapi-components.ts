import { z } from 'zod'

export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What operations share: schemas with a name of their own, and answers that are alike. */
export class Components {
  readonly schemas: Json = {}
  readonly responses: Json = {}

  /** The schema as it stands in an operation: a reference when it has a name, else written out. */
  refer(schema: z.ZodType, io: 'input' | 'output'): unknown {
    const {
      $schema: _,
      $defs,
      ...json
    } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      reused: 'inline',
      // Answers may gain fields, so a reader must not refuse what it does not know.
      override: ({ jsonSchema }) => {
        if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      },
    })
    for (const [name, definition] of Object.entries($defs ?? {})) this.#keep(name, definition)
    const name = schema.meta()?.id
    if (name === undefined) return rewriteRefs(json)
    this.#keep(name, json)
    return { $ref: `#/components/schemas/${name}` }
  }

  /** A response by name. The first one of a name becomes the component; a different one of the same name is written out. */
  shareResponse(name: string, response: Json): Json {
    this.responses[name] ??= response
    const isSame = JSON.stringify(this.responses[name]) === JSON.stringify(response)
    return isSame ? { $ref: `#/components/responses/${name}` } : response
  }

  #keep(name: string, definition: unknown): void {
    this.schemas[name] ??= rewriteRefs(definition)
  }
}

/** References into the schema's own definitions, as references to components. */
function rewriteRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewriteRefs)
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([key]) => key !== 'id' || typeof value['id'] !== 'string')
  return Object.fromEntries(
    entries.map(([key, child]) => [
      key,
      key === '$ref' && typeof child === 'string'
        ? child.replace('#/$defs/', '#/components/schemas/')
        : rewriteRefs(child),
    ]),
  )
}
