import { openPostgresDatabase } from './database-postgres.js'

// As much of a starting server as the test of migrations needs, as a process of its own: opens the database and brings it up to date.

const [url = ''] = process.argv.slice(2)
const quiet = { error() {}, warn() {}, info() {}, debug() {} }
const database = await openPostgresDatabase(url, quiet)
try {
  await database.migrate()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
await database.close()
