import { readFile } from 'node:fs/promises'
import { endpoints } from '@printwarden/protocol'
import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { adminRoutes } from './admin/routes.js'
import { agentFlow } from './agents/flow.js'
import { liveMoves } from './agents/moves-flow.js'
import type { DiscoverySecrets } from './agents/linking-discovery-flow.js'
import { linkingRoutes } from './agents/linking-routes.js'
import type { AgentLimits } from './agents/limits.js'
import { deviationsFlow } from './agents/upstream/deviations-flow.js'
import { deviationRoutes } from './agents/upstream/deviations-routes.js'
import { pictureFlow } from './agents/picture-flow.js'
import { agentRoutes } from './agents/routes.js'
import { agentSocket, MAX_FRAME_BYTES } from './agents/socket.js'
import { UNLIMITED } from './assistant/credits/account.js'
import type { AssistantModel } from './assistant/model.js'
import { type AssistantSettings, assistantRoutes } from './assistant/routes.js'
import { detectionGauges, selfTestMetrics } from './adapters/frame-metrics.js'
import type { Config } from './config.js'
import type { Detector } from './detection/detector.js'
import type { Looks } from './detection/looks.js'
import { type DetectionFlowDeps, detectionFlow } from './detection/flow.js'
import { homeFlow } from './detection/home-flow.js'
import { type Homes, ONE_HOME } from './detection/homes.js'
import { cameraRoutes } from './detection/cameras/camera-routes.js'
import { DEFAULT_HISTORY_BYTES } from './detection/past/history.js'
import { pastFlow } from './detection/past/past-flow.js'
import { pastRoutes } from './detection/past/past-routes.js'
import { predictRoutes } from './detection/service/predict-routes.js'
import { selfTestFlow } from './detection/watching/self-test-flow.js'
import { selfTestRoutes } from './detection/watching/self-test-routes.js'
import { useServiceErrors } from './detection/service/service-errors.js'
import { serviceRoutes } from './detection/service/service-routes.js'
import { teachingFlow } from './detection/teaching/teaching-flow.js'
import { watchdogFlow } from './detection/watching/watchdog-flow.js'
import { gCodeRoutes } from './g-code/routes.js'
import { importRoutes } from './import/routes.js'
import { useSlicerErrors } from './g-code/slicer-errors.js'
import { authenticator } from './http/authenticate.js'
import { dashboard } from './http/dashboard.js'
import { docsPage } from './http/docs-page.js'
import { DOCS_SCRIPT } from './http/docs-script.js'
import { DOCS_STYLE } from './http/docs-style.js'
import { detectorProbe, healthRoutes } from './http/health.js'
import { media, mediaRoute } from './http/media.js'
import { openApiDocument } from './http/openapi.js'
import { OTHER_ROUTES } from './http/other-routes.js'
import { fastifyApi } from './http/register.js'
import { requestMetrics } from './http/request-metrics.js'
import { limitConnections } from './http/connection-limits.js'
import { probeLimit } from './http/probe-limit.js'
import { requestLimits } from './http/request-limits.js'
import { openHttpServer } from './http/server.js'
import { unknownLimit } from './http/unknown-limit.js'
import { startJobs } from './jobs-part.js'
import { openRefusals } from './limits/refusals.js'
import { DEFAULT_LIMITS, type LimitSettings } from './limits/settings.js'
import { userUploads } from './limits/user-uploads.js'
import { memoizeByText } from './memoize.js'
import { packageFile } from './package-files.js'
import { feedFlow } from './live/feed-flow.js'
import { liveRoutes } from './live/routes.js'
import { liveSocket } from './live/socket.js'
import { ticketFlow } from './live/ticket-flow.js'
import { existingClientSocket } from './live/upstream/socket.js'
import { viewingFlow } from './live/viewing-flow.js'
import { oauthRoutes } from './oauth/routes.js'
import type {
  BlobStore,
  Bus,
  Clock,
  Counters,
  Database,
  LiveStore,
  Log,
  Outbound,
  PutAndPublish,
  Secrets,
} from './ports.js'
import { actionFlow } from './printers/action-flow.js'
import { authTokenFlow } from './printers/auth-token-flow.js'
import { authTokenPageRoutes } from './printers/auth-token-page-routes.js'
import { factsFlow } from './printers/facts-flow.js'
import { printerFlow } from './printers/flow.js'
import { manualPrintFlow } from './printers/manual-print-flow.js'
import { pictureWatchFlow } from './printers/picture-watch-flow.js'
import { steeringFlow } from './printers/steering-flow.js'
import { printerSubject } from './printers/notices.js'
import { passthruRoutes } from './printers/passthru-routes.js'
import { printerRoutes } from './printers/routes.js'
import { sharingRoutes } from './printers/sharing-routes.js'
import { notificationRoutes } from './notifications/routes.js'
import { printerEventRoutes } from './prints/event-routes.js'
import { firstLayerRoutes } from './prints/first-layer-routes.js'
import { feedbackRoutes } from './prints/feedback-routes.js'
import { printRemovalFlow } from './prints/removal-flow.js'
import { printRoutes } from './prints/routes.js'
import { temperaturesFlow } from './prints/temperatures-flow.js'
import { deviceRoutes } from './users/device-routes.js'
import type { NoteEnded } from './printers/print-flow.js'
import { framesFlow } from './timelapse/frames-flow.js'
import type { TimelapseJobDeps } from './timelapse/job.js'
import { KEEP_ALL, type RetentionLimits } from './timelapse/retention.js'
import { retentionFlow } from './timelapse/retention-flow.js'
import { retentionRoutes } from './timelapse/retention-routes.js'
import { type TimelapseUploadDeps, timelapseUploadFlow } from './timelapse/upload-flow.js'
import { retryFlow } from './timelapse/retry-flow.js'
import { awaitMorePics, requestTimelapses } from './timelapse/request-flow.js'
import type { Mailer } from './users/mailer.js'
import { type UserFlow, userFlow } from './users/flow.js'
import { userRoutes } from './users/routes.js'
import { whenceOf } from './users/whence.js'
import { VERSION } from './version.js'

/** A plain failure, drawn by us: what self-tests look at. */
const SELF_TEST_PICTURE = packageFile('models/self-test.jpg')

/** What the app is made of: settings and one adapter for each port. */
export interface AppDeps {
  readonly config: Pick<
    Config,
    'trustedProxies' | 'tls' | 'maxSnapshotBytes' | 'maxGCodeBytes' | 'smoothing' | 'publicUrl' | 'accessTokenSeconds'
  > &
    Partial<Pick<Config, 'historyBytes' | 'limits'>>
  readonly database: Database
  readonly blobs: BlobStore
  readonly bus: Bus
  readonly live: LiveStore
  readonly putAndPublish?: PutAndPublish | undefined
  /** By which limits count. */
  readonly counters: Counters
  readonly clock: Clock
  readonly log: Log
  readonly secrets: Secrets
  readonly detector: Detector
  /** Whoever looks at pictures in turn, unless it is the detector of this process. */
  readonly looks?: Looks | undefined
  /** Where decisions about printers are made, unless all of them are made here. */
  readonly homes?: Homes | undefined
  /** Whether other processes on the same database may do jobs. */
  readonly hasOtherNodes?: boolean
  /** What the worker of this process needs; without it nothing is done here that outlives a request. */
  readonly jobs?: Pick<TimelapseJobDeps, 'findEncoder'> | undefined
  /** What videos need on their way: an empty folder, and what looks into them. */
  readonly videos: Pick<TimelapseUploadDeps, 'scratchFolder' | 'grabPoster'>
  /** How long videos of prints stay. */
  readonly retention?: RetentionLimits
  readonly outbound: Outbound
  readonly discoverySecrets: DiscoverySecrets
  /** Without one, what needs mail is offered in another way. */
  readonly mailer?: Mailer | undefined
  /** Other limits than the documented ones and those of the configuration: for tests and benchmarks. */
  readonly limits?: Partial<LimitSettings>
  readonly agentLimits?: Partial<AgentLimits>
  readonly frames?: Pick<DetectionFlowDeps, 'observe' | 'count'>
  /** What `/metrics` shows besides the requests. */
  readonly metrics?: Registry
  /** The assistant's model; undefined when none is configured. */
  readonly model?: AssistantModel | undefined
  readonly assistant?: AssistantSettings
  /** Every answer is compared with its schema: for tests. */
  readonly checksAnswers?: boolean
}

/** The server, put together. */
export interface App {
  /** Closing it closes the sockets and finishes what is under way. */
  readonly http: FastifyInstance
  readonly users: UserFlow
}

/** Puts the server together. Nothing listens yet. */
export async function buildApp(deps: AppDeps): Promise<App> {
  const { config, database, blobs, bus, live, counters, clock, log, secrets, detector, outbound } = deps
  const metrics = deps.metrics ?? new Registry()
  const hasJobs = deps.jobs !== undefined || deps.hasOtherNodes === true
  const pages = dashboard()
  const app = await openHttpServer({
    log,
    trustedProxies: config.trustedProxies,
    tls: config.tls,
    maxFrameBytes: MAX_FRAME_BYTES,
    decisions: OTHER_ROUTES,
    page: (request, reply) => pages.page(request, reply),
  })
  requestMetrics(app, metrics)
  const limits = { ...DEFAULT_LIMITS, ...config.limits, ...deps.limits }
  const refusals = openRefusals({ log, clock, metrics })
  limitConnections(app.server, { limits, trustedProxies: config.trustedProxies, clock, refusals })
  const requests = requestLimits(app, { limits, counters, clock, refusals })
  const uploadsOfUsers = userUploads(limits.user_uploads_at_once, refusals)
  useSlicerErrors(app)
  useServiceErrors(app)

  const users = await userFlow({
    ...{ database, bus, counters, clock, log, secrets, mailer: deps.mailer },
    publicUrl: config.publicUrl,
  })
  const auth = authenticator({
    ...{ database, bus, clock, secrets, publicUrl: users.publicUrl },
    unknownLimit: unknownLimit({ counters, clock, refusals }, limits.address_unknown_credentials),
  })
  const api = fastifyApi(app, auth, { checksAnswers: deps.checksAnswers, limits: requests })
  const urls = media({ secrets, clock })

  const moves = deps.hasOtherNodes ? liveMoves(live, clock, log) : undefined
  const printers = printerFlow({ database, bus, live, clock, log, isMoving: moves?.isMoving })
  const homes = deps.homes ?? ONE_HOME
  const detection = detectionFlow({
    isElsewhere: (printerId) => homes.isElsewhere(printerId),
    ...{ database, blobs, bus, live, clock, log, detector, looks: deps.looks, printers },
    smoothing: config.smoothing,
    ...deps.frames,
  })
  detectionGauges(metrics, detection)
  const homed = homeFlow({ database, blobs, log, homes, detection })
  const { watch } = detection
  const { isElsewhere } = homed
  const watchdog = watchdogFlow({ database, blobs, bus, live, clock, log, printers, detection, watch, isElsewhere })
  const selfTests = selfTestFlow({
    ...{ database, clock, log, detection, isElsewhere, count: selfTestMetrics(metrics) },
    watch: { read: watch.read, selfTested: homed.selfTested },
    picture: await readFile(SELF_TEST_PICTURE),
  })
  await printers.start()
  // Shown with every answer about a printer, and as long as the printer is there the same.
  const authTokensOf = { decrypt: memoizeByText((encrypted) => secrets.decrypt(encrypted), 2_000) }
  const facts = factsFlow({ database, live, secrets: authTokensOf, detection })
  const teaching = teachingFlow({ database, blobs, bus, clock, log, detection: homed })
  const actions = actionFlow({ database, blobs, bus, live, clock, log, printers, detection: homed, teaching })
  const noteEnded: NoteEnded = (trx, ended) => requestTimelapses(trx, ended, clock.now())
  const frames = framesFlow({ blobs, log })
  const manualPrints = manualPrintFlow({ database, bus, clock, detection: homed, noteEnded })
  const authTokens = authTokenFlow({ database, bus, clock, secrets })
  const temperatures = temperaturesFlow({ database, log })
  const { putAndPublish } = deps
  const agents = agentFlow({
    database,
    bus,
    live,
    putAndPublish,
    clock,
    log,
    printers,
    detection: homed,
    noteEnded,
    temperatures,
  })
  const awaitPics = (id: number, picsToCome: number | undefined): Promise<boolean> =>
    database.transaction((trx) => awaitMorePics(trx, id, picsToCome, clock.now()))
  const pictures = pictureFlow({
    ...{ database, blobs, bus, live, clock, secrets, frames, awaitPics },
    detection: { offer: homed.offer, idle: detection.idle, watch: homed },
  })
  const viewing = viewingFlow({ bus })
  const tickets = ticketFlow({ bus, clock })
  const feeds = feedFlow({ database, bus, clock, log, facts, detection, hasOtherNodes: deps.hasOtherNodes })

  userRoutes(api, app, { database, clock, secrets, users, authenticator: auth })
  oauthRoutes(api, app, {
    ...{ database, bus, counters, clock, secrets, authenticator: auth, publicUrl: users.publicUrl },
    accessTokenSeconds: config.accessTokenSeconds,
  })
  printRoutes(api, {
    ...{ database, live, clock, secrets: authTokensOf, media: urls, detection, teaching },
    removal: printRemovalFlow({ database, blobs, clock, log }),
    noteRead: authTokens.noteRead,
    uploadTimelapse: timelapseUploadFlow({
      ...{ database, blobs, clock, log, secrets, userUploads: uploadsOfUsers },
      ...deps.videos,
    }).upload,
    retryTimelapse: retryFlow({ database, clock, frames, hasJobs }).retry,
    changed: (printerId) => bus.publish(printerSubject(printerId), { type: 'row' }),
  })
  feedbackRoutes(api, { database, clock, media: urls, teaching })
  const past = pastFlow({
    ...{ database, blobs, clock, log, detector, frames, hasJobs, isIdle: detection.isIdle },
    smoothing: config.smoothing,
    historyBytes: config.historyBytes ?? DEFAULT_HISTORY_BYTES,
  })
  pastRoutes(api, { database, blobs, clock, log, secrets, media: urls, teaching, frames, past })
  printerEventRoutes(api, { database, media: urls })
  cameraRoutes(api, {
    ...{ database, live, media: urls, contexts: detection.contexts },
    detection: homed,
  })
  selfTestRoutes(api, { database, selfTests })
  serviceRoutes(api, { detector, outbound, maxSnapshotBytes: config.maxSnapshotBytes })
  predictRoutes(api, { database, detection, maxSnapshotBytes: config.maxSnapshotBytes })
  const pictureWatch = pictureWatchFlow({ database, live, printers, manualPrints })
  const steering = steeringFlow({ database, live, bus, clock, printers })
  printerRoutes(api, { database, bus, clock, secrets, media: urls, facts, actions, pictureWatch, steering, authTokens })
  passthruRoutes(api, { database, bus, clock })
  authTokenPageRoutes(app, { database, secrets, authTokens, authenticator: auth })
  agentRoutes(api, {
    ...{ database, bus, counters, clock, pictures, limits, refusals },
    maxSnapshotBytes: config.maxSnapshotBytes,
  })
  sharingRoutes(api, { database, bus, clock, secrets })
  deviceRoutes(api, { database, clock })
  firstLayerRoutes(api)
  notificationRoutes(api, { database, clock, secrets })
  linkingRoutes(api, {
    database,
    bus,
    live,
    counters,
    clock,
    secrets,
    facts,
    media: urls,
    discoverySecrets: deps.discoverySecrets,
  })
  const gCode = await gCodeRoutes(api, {
    ...{ database, blobs, live, clock, log, secrets, printers, facts, media: urls, userUploads: uploadsOfUsers },
    maxGCodeBytes: config.maxGCodeBytes,
  })
  liveRoutes(api, { tickets })
  importRoutes(api, { database, blobs, bus, clock, log, secrets, uploads: gCode.uploads })
  const assistant = await assistantRoutes(api, {
    ...{ facts, actions, printing: gCode.printing, media: urls, blobs, frames, temperatures },
    ...{ database, live, bus, clock, log, secrets, outbound, mailer: deps.mailer, model: deps.model },
    settings: deps.assistant ?? { monthlyCredits: UNLIMITED, supportAddress: undefined },
    maxPictureBytes: config.maxSnapshotBytes,
  })
  adminRoutes(api, {
    credits: assistant.credits,
    database,
    bus,
    clock,
    secrets,
    users,
    accessTokenSeconds: config.accessTokenSeconds,
  })
  const retention = retentionFlow({ database, blobs, clock, log, limits: deps.retention ?? KEEP_ALL })
  retentionRoutes(api, { retention })
  mediaRoute(app, { blobs, clock, secrets, limits: requests })
  healthRoutes(app, {
    ...{ database, blobs, detector, authenticator: auth, metrics },
    hasAssistant: deps.model !== undefined,
    limit: probeLimit({ limits, clock, refusals }),
  })
  detectorProbe(app, detector)
  documentRoutes(app)
  await pages.register(app)

  const deviations = deviationsFlow({ database, clock, log })
  deviationRoutes(api, { database, deviations })
  /** An agent is connected here: what other nodes were waiting for is waited for here, too. */
  const settle = async (printerId: number): Promise<() => void> => {
    if (moves !== undefined) await printers.adopt(printerId)
    const moveOut = homed.settle(printerId)
    return () => {
      moveOut()
      moves?.left(printerId)
    }
  }
  const agentSockets = agentSocket(app, {
    ...{ agents, deviations, bus, clock, log, authenticator: auth, isViewed: viewing.isViewed, settle },
    ...{ requests, refusals },
    limits: {
      messages: limits.agent_messages,
      upstreamMessages: deps.agentLimits?.messages ?? limits.upstream_agent_messages,
      ...deps.agentLimits,
    },
  })
  const liveSockets = liveSocket(app, {
    database,
    authenticator: auth,
    tickets,
    media: urls,
    bus,
    log,
    feeds,
    viewing,
    clock,
    limits,
    refusals,
    noteReader: (caller, request) => authTokens.noteReadOfAll(caller, whenceOf(request)),
  })

  const existingClients = existingClientSocket(app, {
    ...{ database, secrets, authenticator: auth, media: urls, bus, clock, log, feeds, viewing, limits, refusals },
  })

  const { scratchFolder } = deps.videos
  const jobs =
    deps.jobs &&
    (await startJobs({
      ...{ database, blobs, bus, clock, log, secrets, frames, past, retention, scratchFolder },
      findEncoder: deps.jobs.findEncoder,
    }))
  await assistant.start()
  watchdog.start()
  selfTests.start()

  // Before the listening socket closes: agents and apps are told to come back, then what they sent is finished. A model would go on
  // for longer than requests have left.
  app.addHook('preClose', async () => {
    printers.hurry()
    await Promise.all([agentSockets.close(), liveSockets.close(), existingClients.close(), assistant.endCalls()])
  })
  app.addHook('onClose', async () => {
    // A job may take as long to be handed back as a pause to be recorded: together they would take longer than there is.
    await Promise.all([jobs?.close(), closeDetection(), assistant.close(), temperatures.flush(), users.settled()])
    printers.close()
    gCode.close()
  })
  return { http: app, users }

  async function closeDetection(): Promise<void> {
    await Promise.all([watchdog.close(), selfTests.close()])
    await detection.close()
    await deviations.close()
  }
}

/** The description of the API, for programs and for people. Made when it is first asked for. */
function documentRoutes(app: FastifyInstance): void {
  const document = once(() => openApiDocument(endpoints, VERSION))
  const text = once(() => JSON.stringify(document()))
  const page = once(() => docsPage(document()))
  app.get('/openapi.json', async (_request, reply) => reply.type('application/json; charset=utf-8').send(text()))
  app.get('/docs', async (_request, reply) => reply.type('text/html; charset=utf-8').send(page()))
  app.get('/docs.css', async (_request, reply) => reply.type('text/css; charset=utf-8').send(DOCS_STYLE))
  app.get('/docs.js', async (_request, reply) => reply.type('text/javascript; charset=utf-8').send(DOCS_SCRIPT))
}

function once<T extends object | string>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
