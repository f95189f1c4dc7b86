import { DatabaseSync } from '@photostructure/sqlite'
import { openEmbeddedCopySide } from '../../adapters/database-copy-embedded.js'
import { openEmbeddedDatabase } from '../../adapters/database-embedded.js'
import { type Column, inOrderOfReferences, type TableShape } from './shape.js'

// Databases to be copied: every table there is has rows, whatever tables there will be.

/** Texts that are easily damaged on the way: by escaping, by encoding, by comparing. */
const ODD_TEXTS = [
  '',
  'tab\there, line\nand \r\n another',
  'back\\slash \\N \\. "quotes" \'and\' $1 {"json":"\\u0000\\n"}',
  'Ünïcödé, 中文, ไทย, \u{1F9D1}\u200D\u{1F680}, e\u0301',
  '\u0001\u007F\uFEFF\uFFFD',
]
const ODD_NUMBERS = [0.1, -0, 1e-300, 1.7976931348623157e308, Number.POSITIVE_INFINITY, -273.15, 3, 5e-324]
const ODD_WHOLES = [0, 1, -1, 2 ** 52, -(2 ** 52), 1_795_251_649_050]

/** A database in `file`, up to date, with `count` rows or more in every table; how many of `many` in one of them, if it is named. */
export async function fillDatabase(
  file: string,
  { count = 20, many }: { count?: number; many?: { readonly table: string; readonly count: number } } = {},
): Promise<void> {
  const database = await openEmbeddedDatabase(file)
  await database.migrate()
  await database.close()
  const side = openEmbeddedCopySide(file)
  const shapes = inOrderOfReferences(await side.shapes())
  await side.close()
  const connection = new DatabaseSync(file)
  try {
    // Rows may point at later ones of their own table; what they point at is there in the end.
    connection.exec('pragma foreign_keys = off; pragma synchronous = off; begin')
    for (const shape of shapes) {
      fillTable(connection, shape, { references: count, rows: shape.name === many?.table ? many.count : count })
    }
    // Ids that were handed out and taken back are not handed out again.
    connection.exec('delete from oauth_device_codes where id = (select max(id) from oauth_device_codes); commit')
    if (connection.prepare('pragma foreign_key_check').all().length > 0) throw new Error('a row points at nothing')
  } finally {
    connection.close()
  }
}

function fillTable(
  connection: InstanceType<typeof DatabaseSync>,
  { name, columns, key, isCounted }: TableShape,
  { references, rows }: { references: number; rows: number },
): void {
  const pointing = new Set(
    (
      connection.prepare(`select "from" as name from pragma_foreign_key_list('${name}')`).all() as { name: string }[]
    ).map((one) => one.name),
  )
  const filled = columns.filter((column) => !(isCounted && column.name === 'id'))
  const names = filled.map((column) => `"${column.name}"`).join(', ')
  // Triggers have made some rows already.
  const insert = connection.prepare(
    `insert or ignore into "${name}" (${names}) values (${filled.map(() => '?').join(', ')})`,
  )
  for (let index = 1; index <= rows; index++) {
    insert.run(
      ...filled.map((column) =>
        pointing.has(column.name) ? 1 + (index % references) : valueOf(column, index, key.includes(column.name)),
      ),
    )
  }
}

function valueOf({ kind }: Column, index: number, isKey: boolean): string | number {
  const odd = <T>(list: readonly T[]): T => list[index % list.length] as T
  // What is unique stays so: every text begins with its row's number.
  if (kind === 'text') return `${index} ${odd(ODD_TEXTS)}`
  if (kind === 'number') return index <= ODD_NUMBERS.length ? odd(ODD_NUMBERS) : index + 0.25
  return isKey || index > ODD_WHOLES.length ? index : odd(ODD_WHOLES)
}
