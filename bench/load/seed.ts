import { randomUUID } from 'node:crypto'
import type { PrinterChanges } from '@printwarden/protocol'
import { openEmbeddedDatabase } from '../../packages/server/src/adapters/database-embedded.js'
import { openPostgresDatabase } from '../../packages/server/src/adapters/database-postgres.js'
import { openSecrets } from '../../packages/server/src/adapters/secrets.js'
import { openLog } from '../../packages/server/src/log-output.js'
import { insertToken } from '../../packages/server/src/oauth/store.js'
import type { Database, Secrets } from '../../packages/server/src/ports.js'
import { addPrinterRow } from '../../packages/server/src/printers/add-flow.js'
import { newUserRow } from '../../packages/server/src/users/new-user-flow.js'
import { insertUser } from '../../packages/server/src/users/store.js'

/** Who is to be there when the server starts. */
export interface Population {
  readonly users: number
  readonly printersPerUser: number
  /** Ended prints of each user, spread over the printers. */
  readonly printsPerUser?: number
  /** Settings of the printers that differ from those of new ones. */
  readonly printer?: PrinterChanges
}

export interface SeededPrinter {
  readonly id: number
  readonly authToken: string
}

/** A user with a token of both scopes. */
export interface SeededUser {
  readonly token: string
  readonly printers: readonly SeededPrinter[]
}

/** The key of every server that a benchmark starts. */
export const SECRET_KEY = 'the key of servers that only a benchmark starts'

const PRINTS_AT_ONCE = 500
const HOUR_MS = 3_600_000

/** Where the records lie: a SQLite file or a PostgreSQL database. */
export type RecordsAt = { readonly file: string } | { readonly postgres: string }

/**
 * Writes a population into an empty database, before a server has it: through the REST API it would take minutes, and meet the limits of
 * requests. One result for each of `populations`.
 */
export async function seed(at: RecordsAt, populations: readonly Population[]): Promise<SeededUser[][]> {
  const database =
    'file' in at ? await openEmbeddedDatabase(at.file) : await openPostgresDatabase(at.postgres, openLog('error'))
  try {
    await database.migrate()
    const seeder = new Seeder(database, openSecrets(SECRET_KEY))
    const seeded: SeededUser[][] = []
    for (const population of populations) seeded.push(await seeder.add(population))
    return seeded
  } finally {
    await database.close()
  }
}

class Seeder {
  readonly #database: Database
  readonly #secrets: Secrets
  #password: Promise<string> | undefined

  constructor(database: Database, secrets: Secrets) {
    this.#database = database
    this.#secrets = secrets
  }

  async add({ users, printersPerUser, printsPerUser = 0, printer = {} }: Population): Promise<SeededUser[]> {
    const added: SeededUser[] = []
    for (let index = 0; index < users; index += 1) {
      const { id, token } = await this.#addUser()
      const printers = await this.#addPrinters(id, printersPerUser, printer)
      await this.#addPrints(id, printers, printsPerUser)
      added.push({ token, printers })
    }
    return added
  }

  async #addUser(): Promise<{ id: number; token: string }> {
    const now = Date.now()
    const email = `${randomUUID()}@example.test`
    const row = { email, isAdmin: false, password: 'the password of a benchmark' }
    // Hashing a password takes its time by design; nobody signs in here.
    this.#password ??= newUserRow(row, now).then(({ password_hash }) => password_hash)
    const user = await insertUser(this.#database.db, {
      ...{ email, is_admin: 0, date_joined: now, unsub_token: randomUUID(), password_hash: await this.#password },
      ...{ username: null, disabled_at: null, consented_at: null, last_active_at: null },
    })
    if (user === undefined) throw new Error(`there is a user ${email} already`)
    const token = this.#secrets.newToken(20)
    await insertToken(this.#database.db, {
      ...{ user_id: user.id, client_id: null, name: 'bench', scope: 'read write', revoked_at: null },
      token_hash: this.#secrets.hash(token),
      created_at: now,
      expires_at: null,
    })
    return { id: user.id, token }
  }

  #addPrinters(userId: number, count: number, settings: PrinterChanges): Promise<SeededPrinter[]> {
    const deps = { clock: { now: () => Date.now() }, secrets: this.#secrets }
    return this.#database.transaction(async (trx) => {
      const printers: SeededPrinter[] = []
      for (let index = 0; index < count; index += 1) {
        const { printer, auth_token } = await addPrinterRow(trx, deps, userId, {
          ...settings,
          name: `Printer ${index + 1}`,
        })
        printers.push({ id: printer.id, authToken: auth_token })
      }
      return printers
    })
  }

  async #addPrints(userId: number, printers: readonly SeededPrinter[], count: number): Promise<void> {
    const newest = Date.now() - 24 * HOUR_MS
    for (let from = 0; from < count; from += PRINTS_AT_ONCE) {
      const rows = Array.from({ length: Math.min(PRINTS_AT_ONCE, count - from) }, (_, offset) => {
        const index = from + offset
        const started_at = newest - (count - index) * (HOUR_MS / 4)
        return {
          ...{ user_id: userId, printer_id: printers[index % printers.length]?.id ?? 0, current_print_ts: index + 1 },
          ...{ filename: `part-${index}.gcode`, state: 'finished', started_at, finished_at: started_at + HOUR_MS },
        }
      })
      await this.#database.transaction(async (trx) => {
        await trx.insertInto('prints').values(rows).execute()
      })
    }
  }
}
