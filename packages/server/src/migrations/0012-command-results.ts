import type { Kysely } from 'kysely'

/** What an agent answers to a command that asks for something, such as a list of files. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('commands').addColumn('result', 'text').execute()
}
