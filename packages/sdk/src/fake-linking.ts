import type { LinkCode } from '@printwarden/protocol'
import { callerOf, type Handlers, viewerOf, visible } from './fake-handlers.js'
import { addPrinter } from './fake-printers.js'
import { FakeRefusal } from './fake-refusal.js'
import { type FakePrinterRecord, type FakeState, hex, tell } from './fake-state.js'
import { printerView } from './fake-views.js'

const CODE_MS = 2 * 3_600_000
const LINK_MS = 900_000

/** A code that a user types at an agent. */
interface UserCode {
  readonly id: number
  readonly userId: number
  readonly code: string
  readonly expiresAt: number
  printerId: number | null
  verifiedAt: string | null
}

/** An agent that shows a code which a user enters. */
interface WaitingAgent {
  readonly name: string
  readonly code: string
  readonly expiresAt: number
  printerId: number | null
}

/** Linking agents, by a code that the user types there and by one that the agent shows. */
export function linkingHandlers(state: FakeState): Handlers {
  const codes = new Map<number, UserCode>()
  const waiting = new Map<string, WaitingAgent>()
  const time = (): number => Date.parse(state.now())
  const isLive = (code: UserCode): boolean => code.verifiedAt === null && code.expiresAt > time()

  function view(code: UserCode, canWrite: boolean): LinkCode {
    const printer = code.printerId === null ? undefined : state.printers.get(code.printerId)
    return {
      id: code.id,
      printer: printer === undefined ? null : printerView(state, printer, { canWrite }),
      code: canWrite ? code.code : null,
      expired_at: new Date(code.expiresAt).toISOString(),
      verified_at: code.verifiedAt,
    }
  }

  /** A new printer, or one whose agent before is cut off. */
  function link(userId: number, printerId: number | null, name: string): FakePrinterRecord {
    if (printerId === null) return addPrinter(state, userId, { name })
    const printer = state.printers.get(printerId)
    if (printer?.userId !== userId) throw new FakeRefusal('not_found')
    printer.authToken = hex(40)
    printer.isConnected = false
    printer.status = null
    tell(state, { type: 'changed' })
    return printer
  }

  function verify(sent: string): LinkCode {
    const code = [...codes.values()].find((one) => one.code === sent && isLive(one))
    if (code === undefined) throw new FakeRefusal('not_found')
    code.printerId = link(code.userId, code.printerId, 'New printer').id
    code.verifiedAt = state.now()
    return view(code, true)
  }

  return {
    requestLinkCode(call) {
      const userId = callerOf(call).id
      const printerId = call.query.printer_id ?? null
      if (printerId !== null) visible(call, state.printers.get(printerId))
      const live = [...codes.values()].find(
        (code) => code.userId === userId && code.printerId === printerId && isLive(code),
      )
      const fresh = { id: state.nextId(), userId, code: digits(), expiresAt: time() + CODE_MS, printerId }
      const code = live ?? { ...fresh, verifiedAt: null }
      codes.set(code.id, code)
      return view(code, viewerOf(call).canWrite)
    },
    getLinkCode: (call) => view(visible(call, codes.get(call.params.id)), viewerOf(call).canWrite),
    verifyLinkCode: (call) => verify(call.query.code),
    verifyLinkCodeByGet: (call) => verify(call.query.code),

    startAgentLink(call) {
      const secret = hex(64)
      const agent = { name: call.body.device_name, code: digits(), expiresAt: time() + LINK_MS, printerId: null }
      waiting.set(secret, agent)
      return { code: agent.code, secret, expires_in: LINK_MS / 1000 }
    },
    pollAgentLink(call) {
      const agent = waiting.get(call.body.secret)
      if (agent === undefined || agent.expiresAt <= time()) throw new FakeRefusal('expired')
      if (agent.printerId === null) {
        call.out.status = 202
        return { state: 'pending', expires_in: Math.ceil((agent.expiresAt - time()) / 1000) }
      }
      waiting.delete(call.body.secret)
      const printer = state.printers.get(agent.printerId)
      if (printer === undefined) throw new FakeRefusal('expired')
      return { state: 'linked', printer_id: printer.id, auth_token: printer.authToken }
    },
    linkPrinter(call) {
      const { code, name, printer_id: printerId = null } = call.body
      const agent = [...waiting.values()].find(
        (one) => one.code === code && one.printerId === null && one.expiresAt > time(),
      )
      if (agent === undefined) throw new FakeRefusal('not_found')
      const printer = link(callerOf(call).id, printerId, name ?? agent.name)
      agent.printerId = printer.id
      return printerView(state, printer, viewerOf(call))
    },

    ...discovery(state),
  }
}

/** Agents that belong to nobody and were heard of. */
function discovery(state: FakeState): Handlers {
  const agents = new Map<string, Announced>()
  const found = (deviceId: string): Announced => {
    const agent = agents.get(deviceId)
    if (agent === undefined) throw new FakeRefusal('not_found')
    return agent
  }

  return {
    announceUnlinkedAgent(call) {
      const { one_time_passcode: shown, ...device } = call.body
      const before = agents.get(device.device_id)
      const passcode = shown === undefined ? undefined : (before?.passcode ?? digits())
      agents.set(device.device_id, { device, passcode, code: undefined, message: undefined })
      const message = before?.message
      const told =
        message === undefined ? [] : [{ device_id: device.device_id, type: 'verify_code' as const, data: message }]
      if (passcode === undefined) return { messages: told }
      return {
        messages: told,
        one_time_passcode: passcode,
        one_time_passlink: '',
        verification_code: before?.code ?? '',
      }
    },
    listUnlinkedAgents: () => [...agents.values()].map(({ device }) => device),
    sendLinkCode(call) {
      const { code, device_id, device_secret: secret = '' } = call.body
      found(device_id).message = { code, secret }
      return { queued: true }
    },
    claimPasscode(call) {
      const { one_time_passcode: shown, verification_code: code } = call.body
      const agent = [...agents.values()].find(({ passcode }) => passcode === shown)
      if (agent === undefined) throw new FakeRefusal('not_found')
      agent.code = code
      tell(state, { type: 'changed' })
      return { detail: 'OK' }
    },
  }
}

interface Announced {
  readonly device: { readonly device_id: string }
  readonly passcode: string | undefined
  code: string | undefined
  message: { readonly code: string; readonly secret: string } | undefined
}

/** Six digits that nobody has drawn yet, as far as chance goes. */
function digits(): string {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1))
  return String(number % 1_000_000).padStart(6, '0')
}
