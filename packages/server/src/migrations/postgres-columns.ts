import type { ColumnDefinitionNode, KyselyPlugin } from 'kysely'
import { DataTypeNode, OperationNodeTransformer, RawNode } from 'kysely'

/**
 * Columns that hold and order the same as SQLite's: its integers have 64 bits, which the ids of a fleet's predictions need within days,
 * and its texts compare byte by byte, whatever language the database was made for.
 */
class ColumnTransformer extends OperationNodeTransformer {
  protected override transformColumnDefinition(node: ColumnDefinitionNode): ColumnDefinitionNode {
    const column = super.transformColumnDefinition(node)
    if (!DataTypeNode.is(column.dataType)) return column
    const { dataType } = column.dataType
    if (dataType === 'integer') return { ...column, dataType: DataTypeNode.create('bigint') }
    if (dataType === 'text') return { ...column, dataType: RawNode.createWithSql('text collate "C"') }
    return column
  }
}

const transformer = new ColumnTransformer()

/** Makes the columns of migrations PostgreSQL's. */
export const postgresColumns: KyselyPlugin = {
  transformQuery: ({ node }) => transformer.transformNode(node),
  transformResult: async ({ result }) => result,
}
