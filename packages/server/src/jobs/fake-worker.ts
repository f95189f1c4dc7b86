import { openPostgresDatabase } from '../adapters/database-postgres.js'
import { claimJob, finishJob } from './store.js'

// A worker process of its own for the test of claims. What it has done stands in `server_settings`, in the transaction that ends the
// job: a job that is done twice is refused by that table's key. Says what it claims; ends when there is nothing left to be claimed.

const [url = '', name = '', leaseMs = '1000'] = process.argv.slice(2)
const quiet = { error() {}, warn() {}, info() {}, debug() {} }
const database = await openPostgresDatabase(url, quiet)

async function isEmpty(): Promise<boolean> {
  return (await database.db.selectFrom('jobs').select('id').limit(1).executeTakeFirst()) === undefined
}

for (;;) {
  const job = await claimJob(database.db, ['work'], name, Date.now(), Number(leaseMs))
  if (job !== undefined) {
    console.log(`claimed ${job.key}`)
    await database.transaction(async (trx) => {
      await trx.insertInto('server_settings').values({ key: job.key, value: name }).execute()
      await finishJob(trx, job, Date.now())
    })
  } else if (await isEmpty()) break
  else await new Promise((resolve) => setTimeout(resolve, 50))
}
await database.close()
