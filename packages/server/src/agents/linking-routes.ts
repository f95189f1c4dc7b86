import { endpoints, type LinkCode, type Printer } from '@printwarden/protocol'
import { ApiError } from '../errors.js'
import { isUpstreamPath } from '../http/aliases.js'
import type { Api, Exchange } from '../http/api.js'
import type { Bus, Clock, Counters, Database, LiveStore } from '../ports.js'
import { instantView, type MediaUrls, type Viewer, viewerOf } from '../prints/view.js'
import type { AuthTokenSecrets } from '../printers/add-flow.js'
import { namedForExistingClients } from '../printers/existing-names.js'
import type { FactsFlow } from '../printers/facts-flow.js'
import { findPrinter, type PrinterRow } from '../printers/store.js'
import { printerView } from '../printers/view.js'
import { homeOf } from './linking-address.js'
import { agentLinkFlow } from './linking-agent-flow.js'
import { linkCodeFlow } from './linking-code-flow.js'
import { type DiscoverySecrets, discoveryFlow } from './linking-discovery-flow.js'
import { agentTries, NEW_RATE, POLL_RATE, userTries } from './linking-limits.js'
import { findLinkCode, type LinkCodeRow } from './linking-store.js'
import { Allowance } from '../limits/allowance.js'
import { type TryCounter, TryLimiter } from '../limits/tries.js'
import { addressGroup } from '../limits/address.js'

export interface LinkingRoutesDeps {
  readonly database: Database
  readonly bus: Bus
  readonly live: LiveStore
  readonly counters: Counters
  readonly clock: Clock
  readonly secrets: AuthTokenSecrets & { hash(text: string): string; decrypt(text: string): string }
  readonly facts: FactsFlow
  readonly media: MediaUrls
  readonly discoverySecrets: DiscoverySecrets
}

/** How agents and printers come together: codes typed at the agent (wire facts, section 1.9), and codes that it shows (decision 28). */
export function linkingRoutes(api: Api, deps: LinkingRoutesDeps): void {
  const { database, clock, facts, media } = deps
  const codes = linkCodeFlow(deps)
  const discovery = discoveryFlow(deps)
  const links = agentLinkFlow({ ...deps, codes })
  const wrongCodes = new TryLimiter(deps)
  const polls = new Allowance(deps, 'link polls', POLL_RATE)
  const newOnes = new Allowance(deps, 'new links', NEW_RATE)

  /** Runs a try at a code; only wrong ones count. @throws {ApiError} rate_limited */
  async function tryCode<T>(counters: readonly TryCounter[], work: () => Promise<T>): Promise<T> {
    const { waitMs, forgive } = await wrongCodes.begin(counters)
    if (waitMs > 0) throw limited(waitMs)
    const result = await work()
    await forgive()
    return result
  }

  /** @throws {ApiError} rate_limited */
  async function allow(limiter: Allowance, ip: string): Promise<void> {
    const waitMs = await limiter.take(addressGroup(ip))
    if (waitMs > 0) throw limited(waitMs)
  }

  /** As `allow`, for agents that give up for good on being told that they ask too often. @throws {ApiError} unavailable */
  async function allowAgent(limiter: Allowance, ip: string): Promise<void> {
    const waitMs = await limiter.take(addressGroup(ip))
    if (waitMs <= 0) return
    throw new ApiError('unavailable', 'Too many agents ask at once.', { retryAfterSeconds: Math.ceil(waitMs / 1000) })
  }

  const show = async (printer: PrinterRow, viewer: Viewer): Promise<Printer> =>
    printerView(await facts.ofPrinter(printer), viewer, clock.now())

  /** Whoever has just linked a printer may have its `auth_token`. */
  const linker = ({ origin }: Exchange): Viewer => ({ origin, mediaUrl: media.urls(origin), canWrite: true })

  async function showCode(
    row: LinkCodeRow,
    printer: PrinterRow | undefined,
    viewer: Viewer,
    { reply }: Exchange,
  ): Promise<LinkCode> {
    void reply.header('cache-control', 'no-store')
    return {
      id: row.id,
      printer: printer === undefined ? null : await show(printer, viewer),
      // The code is as good as the token that it is exchanged for.
      code: viewer.canWrite ? row.code : null,
      expired_at: instantView(row.expired_at),
      verified_at: instantView(row.verified_at),
    }
  }

  const printerOf = async ({ printer_id }: LinkCodeRow): Promise<PrinterRow | undefined> =>
    printer_id === null ? undefined : findPrinter(database.db, printer_id)

  api.handle(endpoints.requestLinkCode, async ({ query }, caller, exchange) => {
    const code = await codes.liveCode(caller.user_id, query.printer_id ?? null)
    return showCode(code, await printerOf(code), viewerOf(caller, exchange.origin, media), exchange)
  })

  api.handle(endpoints.getLinkCode, async ({ params }, caller, exchange) => {
    const code = await findLinkCode(database.db, caller.user_id, params.id)
    if (code === undefined) throw new ApiError('not_found')
    return showCode(code, await printerOf(code), viewerOf(caller, exchange.origin, media), exchange)
  })

  for (const endpoint of [endpoints.verifyLinkCode, endpoints.verifyLinkCodeByGet]) {
    api.handleOpen(endpoint, async ({ query }, _nobody, exchange) => {
      const { code, printer } = await tryCode(agentTries(exchange.request.ip), () => codes.verify(query.code))
      const shown = await showCode(code, printer, linker(exchange), exchange)
      // An agent that asks at the path it knows is told the names it knows.
      if (shown.printer === null || !isUpstreamPath(exchange.request.url)) return shown
      return { ...shown, printer: namedForExistingClients(shown.printer) }
    })
  }

  api.handleOpen(endpoints.announceUnlinkedAgent, async ({ body }, _nobody, { origin, request, reply }) => {
    void reply.header('cache-control', 'no-store')
    await allowAgent(polls, request.ip)
    const messages = await discovery.announce(homeOf(request), body)
    if (body.one_time_passcode === undefined) return { messages }
    const known = await discovery.passcode(body.one_time_passcode)
    // It has its code now; that it may be given no passcode must not lose it.
    if (known === undefined && messages.length > 0) return { messages }
    if (known === undefined) await allowAgent(newOnes, request.ip)
    const passcode = known?.passcode ?? (await discovery.newPasscode())
    return {
      messages,
      one_time_passcode: passcode,
      one_time_passlink: `${origin}/printers/new?one_time_passcode=${passcode}`,
      verification_code: known?.code ?? '',
    }
  })

  api.handle(endpoints.listUnlinkedAgents, async (_, _caller, { request, reply }) => {
    const agents = await discovery.list(homeOf(request))
    reply.header('x-total-count', agents.length)
    return agents
  })

  api.handle(endpoints.sendLinkCode, async ({ body }, caller, { request }) => {
    const send = () => discovery.send(homeOf(request), caller.user_id, body)
    await tryCode(userTries(caller.user_id, request.ip), send)
    return { queued: true as const }
  })

  api.handle(endpoints.claimPasscode, async ({ body }, caller, { request }) => {
    const claim = () =>
      discovery.claim(caller.user_id, body.one_time_passcode.trim().toLowerCase(), body.verification_code)
    await tryCode(userTries(caller.user_id, request.ip), claim)
    return { detail: 'OK' as const }
  })

  api.handleOpen(endpoints.startAgentLink, async ({ body }, _nobody, { request, reply }) => {
    void reply.header('cache-control', 'no-store')
    await allow(newOnes, request.ip)
    return links.start(body)
  })

  api.handleOpen(endpoints.pollAgentLink, async ({ body }, _nobody, { request, reply }) => {
    void reply.header('cache-control', 'no-store')
    await allow(polls, request.ip)
    const state = await links.poll(body.secret)
    if (state.state === 'pending') reply.code(202)
    return state
  })

  api.handle(endpoints.linkPrinter, async ({ body }, caller, exchange) => {
    const enter = () => links.enter(caller.user_id, body)
    const printer = await tryCode(userTries(caller.user_id, exchange.request.ip), enter)
    void exchange.reply.header('cache-control', 'no-store')
    return show(printer, linker(exchange))
  })
}

function limited(waitMs: number): ApiError {
  return new ApiError('rate_limited', undefined, { retryAfterSeconds: Math.ceil(waitMs / 1000) })
}
