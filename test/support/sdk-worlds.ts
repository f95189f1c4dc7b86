import { join } from 'node:path'
import type { Scope } from '@printwarden/protocol'
import { type Client, type ClientOptions, createClient, type Printer } from '@printwarden/sdk'
import { createFakeServer, type FakePrinter, type Obedience } from '@printwarden/sdk/testing'
import { ADMIN, startServer, temporaryFolder } from './processes.js'
import { connectWirePrinter } from './wire-printer.js'

// Two servers that apps made with the SDK cannot tell apart: the real one as a process, and the SDK's fake one in memory.

/** A printer in the workshop, as a test moves it. */
export interface WorkshopPrinter {
  startPrint(filename: string): Promise<void> | void
  endPrint(how: 'finished' | 'cancelled' | 'failed'): Promise<void> | void
}

/** An account with nothing in it. */
export interface Account {
  token(scopes: readonly Scope[]): Promise<string> | string
  client(scopes?: readonly Scope[]): Promise<Client>
}

/** A server of either kind. */
export interface SdkWorld {
  client(options: ClientOptions): Client
  newAccount(): Promise<Account>
  revoke(token: string): Promise<void> | void
  expiredToken(): string
  /** Connects an agent for this printer, which obeys, refuses or ignores commands. */
  connect(printer: Printer, obedience?: Obedience): Promise<WorkshopPrinter>
  close(): Promise<void>
}

const BOTH: readonly Scope[] = ['read', 'write']

/** The fake server of `@printwarden/sdk/testing`. */
export async function fakeWorld(): Promise<SdkWorld> {
  const obediences = new Map<number, Obedience>()
  const server = createFakeServer({ onCommand: (printerId) => obediences.get(printerId) ?? 'obey' })
  return {
    client: ({ baseUrl: _ours, fetch: _fetch, ...options }) => server.client({ token: '', ...options }),
    async newAccount() {
      const userId = server.addUser()
      const token = (scopes: readonly Scope[]): string => server.addToken({ userId, scopes })
      return { token, client: async (scopes = BOTH) => server.client({ token: token(scopes) }) }
    },
    revoke: (token) => server.revokeToken(token),
    expiredToken: () => server.addToken({ state: 'expired' }),
    async connect({ id }, obedience = 'obey') {
      obediences.set(id, obedience)
      const printer: FakePrinter = server.printer(id)
      printer.connect()
      return { startPrint: (filename) => void printer.startPrint(filename), endPrint: (how) => printer.endPrint(how) }
    },
    close: async () => undefined,
  }
}

/** The server as people run it: a process with a database and files. */
export async function realWorld(): Promise<SdkWorld> {
  const folder = await temporaryFolder()
  const server = await startServer({ dataDir: join(folder.path, 'data') })
  const { access_token } = await createClient({ baseUrl: server.url }).adminSignIn(ADMIN)
  const admin = createClient({ baseUrl: server.url, token: access_token })
  const { tokens } = await admin.seed()
  const sockets: { close(): void }[] = []
  let count = 0
  return {
    client: (options) => createClient({ ...options, baseUrl: server.url }),
    async newAccount() {
      const email = `user${(count += 1)}@example.test`
      await admin.createAccount({ email, password: 'correct-horse-battery' })
      const token = async (scopes: readonly Scope[]): Promise<string> =>
        (await admin.issueToken({ email, scope: scopes.join(' ') })).access_token
      return {
        token,
        client: async (scopes = BOTH) => createClient({ baseUrl: server.url, token: await token(scopes) }),
      }
    },
    revoke: (token) => admin.revokeToken({ token }),
    expiredToken: () => tokens.expired,
    async connect(printer, obedience = 'obey') {
      const wire = await connectWirePrinter(server.url, printer.auth_token ?? '', obedience)
      sockets.push(wire)
      return wire
    },
    async close() {
      for (const socket of sockets) socket.close()
      await server.stop()
      await folder.remove()
    },
  }
}
