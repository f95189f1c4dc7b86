import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Tables } from './tables.js'

/** Stands in a compiled query where a value comes when it is asked. */
class Place {
  constructor(readonly index: number) {}
}

/**
 * Queries of one kind, each built and compiled once for a database: of a short read that costs more than all the rest.
 *
 * `build` is called with a stand-in for each of `values`, of which it knows nothing: they go into the query as they are. What makes the
 * statement another one, such as how many values there are, is named by `form`; there must be few forms.
 */
export function compiledQueries<Row>() {
  const known = new WeakMap<Kysely<Tables>, Map<string, CompiledQuery<Row>>>()

  function compiledFor<const Values extends readonly (number | string)[]>(
    db: Kysely<Tables>,
    form: string,
    values: Values,
    build: (values: Values) => Compilable<Row>,
  ): CompiledQuery<Row> {
    const forms = known.get(db) ?? new Map<string, CompiledQuery<Row>>()
    known.set(db, forms)
    const kept = forms.get(form)
    if (kept !== undefined) return kept
    const places: unknown = values.map((_, index) => new Place(index))
    const compiled = build(places as Values).compile()
    forms.set(form, compiled)
    return compiled
  }

  return async function rowsOf<const Values extends readonly (number | string)[]>(
    db: Kysely<Tables>,
    form: string,
    values: Values,
    build: (values: Values) => Compilable<Row>,
  ): Promise<Row[]> {
    // A transaction is there for a few statements only.
    const compiled = db.isTransaction ? build(values).compile() : compiledFor(db, form, values, build)
    const parameters = compiled.parameters.map((value) => (value instanceof Place ? values[value.index] : value))
    const asked: CompiledQuery<Row> = { ...compiled, parameters }
    return (await db.executeQuery<Row>(asked)).rows
  }
}
