import { endpoints } from '@printwarden/protocol'
import { framesViewFlow, type FramesViewDeps } from '../detection/past/frames-view-flow.js'
import type { Api } from '../http/api.js'
import type { PrintFlow } from '../g-code/print-flow.js'
import { jobFlow } from '../jobs/flow.js'
import type { BlobStore, Bus, Clock, Database, LiveStore, Log, Outbound, Secrets } from '../ports.js'
import type { ActionFlow } from '../printers/action-flow.js'
import type { FactsFlow } from '../printers/facts-flow.js'
import type { TemperaturesFlow } from '../prints/temperatures-flow.js'
import type { MediaUrls } from '../prints/view.js'
import type { Mailer } from '../users/mailer.js'
import { chatRoutes } from './chats/chat-routes.js'
import { type CreditsFlow, creditsFlow } from './credits/credits-flow.js'
import { creditsRoutes } from './credits/credits-routes.js'
import { messageFlow } from './messages/message-flow.js'
import { messageRoutes } from './messages/message-routes.js'
import type { AssistantModel } from './model.js'
import { paidCallFlow } from './paid-call-flow.js'
import { plateFlow } from './plates/plate-flow.js'
import { plateRoutes } from './plates/plate-routes.js'
import { keepingFlow } from './post-mortems/keeping-flow.js'
import { pastFlow } from './post-mortems/past-flow.js'
import { postMortemFlow } from './post-mortems/post-mortem-flow.js'
import { postMortemRoutes } from './post-mortems/post-mortem-routes.js'
import { readPrompts } from './prompts-flow.js'
import { confirmFlow } from './proposals/confirm-flow.js'
import { proposeFlow } from './proposals/propose-flow.js'
import { proposalRoutes } from './proposals/proposal-routes.js'
import { SUPPORT_JOB, supportFlow } from './support/support-flow.js'
import { supportRoutes } from './support/support-routes.js'

/** What can be set of the assistant. */
export interface AssistantSettings {
  /** Credits a month of accounts without a quota of their own; −1 = unlimited. */
  readonly monthlyCredits: number
  /** Where support requests go: an e-mail address or an http(s) URL. */
  readonly supportAddress: string | undefined
}

export interface AssistantRoutesDeps {
  readonly database: Database
  readonly live: LiveStore
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
  readonly secrets: Pick<Secrets, 'newToken'>
  readonly outbound: Outbound
  readonly mailer: Mailer | undefined
  /** Undefined when none is configured. */
  readonly model: AssistantModel | undefined
  readonly settings: AssistantSettings
  readonly media: MediaUrls
  readonly facts: FactsFlow
  /** What a confirmed proposal is carried out by. */
  readonly actions: Pick<ActionFlow, 'pause' | 'resume' | 'cancel'>
  readonly printing: Pick<PrintFlow, 'print'>
  readonly maxPictureBytes: number
  /** What is kept of prints. */
  readonly blobs: BlobStore
  readonly frames: FramesViewDeps['frames']
  readonly temperatures: TemperaturesFlow
}

export interface Assistant {
  readonly credits: CreditsFlow
  /** Gives back what was taken before the last stop, and tries again what could not be sent. */
  start(): Promise<void>
  /** Ends calls under way, each with an error that its caller can still be told. */
  endCalls(): Promise<void>
  close(): Promise<void>
}

/** Answers without a model come at once; the lease of a credit is longer than any. */
const UNCONFIGURED_MS = 1000

/** A summary, an answer, and a second try. */
const QUESTIONS_A_CALL = 3

/** The assistant: credits, chats, questions, plates, and letters to support. */
export async function assistantRoutes(api: Api, deps: AssistantRoutesDeps): Promise<Assistant> {
  const { database, live, bus, clock, log, secrets, outbound, mailer, model, settings, maxPictureBytes } = deps
  const { media, facts } = deps
  const longestCallMs = (model?.timeoutMs ?? UNCONFIGURED_MS) * QUESTIONS_A_CALL
  const credits = creditsFlow({ database, clock, log, defaultQuota: settings.monthlyCredits, longestCallMs })
  const calls = paidCallFlow({ credits, log })
  const prompts = await readPrompts()
  const support = supportFlow({ database, live, bus, clock, log, outbound, mailer, address: settings.supportAddress })

  // Of its own: a letter must not wait for the videos of prints.
  const letters = jobFlow({ database, bus, clock, log, secrets, kinds: { [SUPPORT_JOB]: support.job } })

  creditsRoutes(api, { database, credits })
  chatRoutes(api, { database, clock })
  const tools = { database, clock, facts, proposing: proposeFlow({ database, live, clock }) }
  messageRoutes(api, { messages: messageFlow({ model, prompts, calls, tools }), media })
  const decisions = confirmFlow({ database, live, clock, log, actions: deps.actions, printing: deps.printing })
  proposalRoutes(api, { database, clock, media, decisions })
  plateRoutes(api, { plates: plateFlow({ model, prompts, calls, maxPictureBytes }) })
  const pasts = pastFlow({ ...deps, pictures: framesViewFlow(deps) })
  const postMortems = postMortemFlow({ database, model, prompts, calls, pasts, keeping: keepingFlow(deps) })
  postMortemRoutes(api, { postMortems, media })
  supportRoutes(api, { database, support })

  api.handle(endpoints.getAssistantStatus, async () => ({
    is_configured: model !== undefined,
    text_model: model?.textModel ?? null,
    vision_model: model?.visionModel ?? null,
    problem: (await model?.problem()) ?? null,
  }))

  return {
    credits,
    async start() {
      await credits.recover()
      if (settings.supportAddress === undefined) return
      await support.retry()
      letters.start()
    },
    endCalls: () => calls.close(),
    async close() {
      // Those that came in between.
      await Promise.all([calls.close(), letters.close()])
    },
  }
}
