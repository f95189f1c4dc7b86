import type { ConformanceTarget, Scope } from '@printwarden/protocol'
import { type AddPrinterDeps, addPrinter } from '../printers/add-flow.js'
import type { UserRow } from '../users/store.js'
import type { AdminFlow, AdminFlowDeps } from './flow.js'

/** Where a conformance run listens for the browser's way back. */
const REDIRECT_URI = 'http://127.0.0.1:9099/callback'

const DISPOSABLE_PRINTERS = 20

const HOUR_SECONDS = 3600

export interface SeedFlowDeps extends AddPrinterDeps, Pick<AdminFlowDeps, 'users' | 'accessTokenSeconds'> {
  readonly admin: AdminFlow
}

export type SeedFlow = ReturnType<typeof seedFlow>

/** Makes everything that a conformance run needs. Each run gets accounts of its own, so that runs do not meet. */
export function seedFlow(deps: SeedFlowDeps) {
  const { secrets, users, admin, accessTokenSeconds } = deps

  async function makeUser(name: string, run: string): Promise<{ user: UserRow; email: string; password: string }> {
    const email = `${name}-${run}@conformance.example`
    const password = secrets.newToken(12)
    return { user: await users.addUser({ email, password, isAdmin: false }), email, password }
  }

  function makeToken(user: UserRow, scopes: readonly Scope[], lifetimeSeconds = accessTokenSeconds): Promise<string> {
    return admin.tokens.issue({ userId: user.id, scopes, name: 'conformance run', lifetimeSeconds })
  }

  async function makeRevokedToken(user: UserRow): Promise<string> {
    const token = await makeToken(user, ['read', 'write'])
    await admin.tokens.revoke(token)
    return token
  }

  async function makePrinter(user: UserRow, name: string): Promise<{ id: number; auth_token: string }> {
    const { printer, auth_token } = await addPrinter(deps, user.id, { name })
    return { id: printer.id, auth_token }
  }

  async function makeDisposablePrinters(user: UserRow): Promise<{ id: number; auth_token: string }[]> {
    const printers: { id: number; auth_token: string }[] = []
    for (let number = 1; number <= DISPOSABLE_PRINTERS; number += 1) {
      printers.push(await makePrinter(user, `Disposable ${number}`))
    }
    return printers
  }

  async function makeClients(): Promise<ConformanceTarget['clients']> {
    const client = { name: 'Conformance run', redirect_uris: [REDIRECT_URI] }
    const confidential = await admin.addClient({ ...client, type: 'confidential' })
    const { client_id } = await admin.addClient({ ...client, type: 'public' })
    return {
      confidential: {
        client_id: confidential.client_id,
        client_secret: confidential.client_secret ?? '',
        redirect_uri: REDIRECT_URI,
      },
      public: { client_id, redirect_uri: REDIRECT_URI },
    }
  }

  return {
    /** `origin` is the address under which the run reaches the server. */
    async seed(origin: string): Promise<ConformanceTarget> {
      const run = secrets.newToken(4)
      const owner = await makeUser('owner', run)
      const other = await makeUser('other', run)
      return {
        base_url: origin,
        agent_ws_url: `${origin.replace(/^http/, 'ws')}/ws/agent/`,
        owner: { email: owner.email, password: owner.password },
        other: { email: other.email, password: other.password },
        tokens: {
          read_write: await makeToken(owner.user, ['read', 'write']),
          read: await makeToken(owner.user, ['read']),
          write: await makeToken(owner.user, ['write']),
          other: await makeToken(other.user, ['read', 'write']),
          expired: await makeToken(owner.user, ['read', 'write'], -HOUR_SECONDS),
          revoked: await makeRevokedToken(owner.user),
        },
        clients: await makeClients(),
        printer: await makePrinter(owner.user, 'Conformance'),
        other_printer: await makePrinter(other.user, 'Conformance, of another'),
        disposable_printers: await makeDisposablePrinters(owner.user),
      }
    },
  }
}
