import { readFile } from 'node:fs/promises'
import { endpoints } from '@printwarden/protocol'
import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { adminRoutes } from './admin/routes.js'
import { agentFlow } from './agents/flow.js'
import { linkingRoutes } from './agents/linking-routes.js'
import type { AgentLimits } from './agents/limits.js'
import { pictureFlow } from './agents/picture-flow.js'
import { agentRoutes } from './agents/routes.js'
import { agentSocket, MAX_FRAME_BYTES } from './agents/socket.js'
import { detectionGauges, selfTestMetrics } from './adapters/frame-metrics.js'
import type { Config } from './config.js'
import type { Detector } from './detection/detector.js'
import { type DetectionFlowDeps, detectionFlow } from './detection/flow.js'
import { cameraRoutes } from './detection/cameras/camera-routes.js'
import { DEFAULT_HISTORY_BYTES } from './detection/past/history.js'
import { pastRoutes } from './detection/past/past-routes.js'
import { predictRoutes } from './detection/service/predict-routes.js'
import { selfTestFlow } from './detection/watching/self-test-flow.js'
import { selfTestRoutes } from './detection/watching/self-test-routes.js'
import { useServiceErrors } from './detection/service/service-errors.js'
import { serviceRoutes } from './detection/service/service-routes.js'
import { teachingFlow } from './detection/teaching/teaching-flow.js'
import { watchdogFlow } from './detection/watching/watchdog-flow.js'
import { gCodeRoutes } from './g-code/routes.js'
import { useSlicerErrors } from './g-code/slicer-errors.js'
import { authenticator } from './http/authenticate.js'
import { dashboard } from './http/dashboard.js'
import { docsPage } from './http/docs-page.js'
import { DOCS_SCRIPT } from './http/docs-script.js'
import { DOCS_STYLE } from './http/docs-style.js'
import { healthRoutes } from './http/health.js'
import { media, mediaRoute } from './http/media.js'
import { openApiDocument } from './http/openapi.js'
import { OTHER_ROUTES } from './http/other-routes.js'
import { fastifyApi } from './http/register.js'
import { requestMetrics } from './http/request-metrics.js'
import { openHttpServer } from './http/server.js'
import { memoizeByText } from './memoize.js'
import { feedFlow } from './live/feed-flow.js'
import { liveRoutes } from './live/routes.js'
import { liveSocket } from './live/socket.js'
import { ticketFlow } from './live/ticket-flow.js'
import { viewingFlow } from './live/viewing-flow.js'
import { oauthRoutes } from './oauth/routes.js'
import type { BlobStore, Bus, Clock, Database, LiveStore, Log, Outbound, Secrets } from './ports.js'
import { actionFlow } from './printers/action-flow.js'
import { authTokenFlow } from './printers/auth-token-flow.js'
import { authTokenPageRoutes } from './printers/auth-token-page-routes.js'
import { factsFlow } from './printers/facts-flow.js'
import { printerFlow } from './printers/flow.js'
import { manualPrintFlow } from './printers/manual-print-flow.js'
import { pictureWatchFlow } from './printers/picture-watch-flow.js'
import { printerSubject } from './printers/notices.js'
import { printerRoutes } from './printers/routes.js'
import { sharingRoutes } from './printers/sharing-routes.js'
import { notificationRoutes } from './notifications/routes.js'
import { printerEventRoutes } from './prints/event-routes.js'
import { firstLayerRoutes } from './prints/first-layer-routes.js'
import { feedbackRoutes } from './prints/feedback-routes.js'
import { printRemovalFlow } from './prints/removal-flow.js'
import { printRoutes } from './prints/routes.js'
import { deviceRoutes } from './users/device-routes.js'
import { jobFlow } from './jobs/flow.js'
import type { NoteEnded } from './printers/print-flow.js'
import { framesFlow } from './timelapse/frames-flow.js'
import { timelapseJob, type TimelapseJobDeps } from './timelapse/job.js'
import { KEEP_ALL, type RetentionLimits } from './timelapse/retention.js'
import { RETENTION_JOB, retentionFlow } from './timelapse/retention-flow.js'
import { retentionRoutes } from './timelapse/retention-routes.js'
import { type TimelapseUploadDeps, timelapseUploadFlow } from './timelapse/upload-flow.js'
import { retryFlow } from './timelapse/retry-flow.js'
import { requestTimelapses, TIMELAPSE_JOB } from './timelapse/request-flow.js'
import type { Mailer } from './users/mailer.js'
import { type UserFlow, userFlow } from './users/flow.js'
import { userRoutes } from './users/routes.js'
import { whenceOf } from './users/whence.js'
import { VERSION } from './version.js'

/** A plain failure, drawn by us: what self-tests look at. */
const SELF_TEST_PICTURE = new URL('../models/self-test.jpg', import.meta.url)

/** What the app is made of: settings and one adapter for each port. */
export interface AppDeps {
  readonly config: Pick<
    Config,
    'trustedProxies' | 'tls' | 'maxSnapshotBytes' | 'maxGCodeBytes' | 'smoothing' | 'publicUrl' | 'accessTokenSeconds'
  > &
    Partial<Pick<Config, 'historyBytes'>>
  readonly database: Database
  readonly blobs: BlobStore
  readonly bus: Bus
  readonly live: LiveStore
  readonly clock: Clock
  readonly log: Log
  readonly secrets: Secrets
  readonly detector: Detector
  /** What the worker of this process needs; without it nothing is done here that outlives a request. */
  readonly jobs?: Pick<TimelapseJobDeps, 'findEncoder'> | undefined
  /** What videos need on their way: an empty folder, and what looks into them. */
  readonly videos: Pick<TimelapseUploadDeps, 'scratchFolder' | 'grabPoster'>
  /** How long videos of prints stay. */
  readonly retention?: RetentionLimits
  readonly outbound: Outbound
  /** Without one, what needs mail is offered in another way. */
  readonly mailer?: Mailer | undefined
  /** Other limits than the documented ones: for benchmarks. */
  readonly agentLimits?: Partial<AgentLimits>
  readonly frames?: Pick<DetectionFlowDeps, 'observe' | 'count'>
  /** What `/metrics` shows besides the requests. */
  readonly metrics?: Registry
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
  const { config, database, blobs, bus, live, clock, log, secrets, detector, outbound } = deps
  const metrics = deps.metrics ?? new Registry()
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
  useSlicerErrors(app)
  useServiceErrors(app)

  const users = await userFlow({ database, bus, clock, log, secrets, mailer: deps.mailer, publicUrl: config.publicUrl })
  const auth = authenticator({ database, bus, clock, secrets, publicUrl: users.publicUrl })
  const api = fastifyApi(app, auth, { checksAnswers: deps.checksAnswers })
  const urls = media({ secrets, clock })

  const printers = printerFlow({ database, bus, clock, log })
  const detection = detectionFlow({
    ...{ database, blobs, bus, live, clock, log, detector, printers },
    smoothing: config.smoothing,
    ...deps.frames,
  })
  detectionGauges(metrics, detection)
  const { watch } = detection
  const watchdog = watchdogFlow({ database, bus, live, clock, log, printers, detection, watch })
  const selfTests = selfTestFlow({
    ...{ database, clock, log, detection, watch, count: selfTestMetrics(metrics) },
    picture: await readFile(SELF_TEST_PICTURE),
  })
  await printers.start()
  // Shown with every answer about a printer, and as long as the printer is there the same.
  const authTokensOf = { decrypt: memoizeByText((encrypted) => secrets.decrypt(encrypted), 2_000) }
  const facts = factsFlow({ database, live, secrets: authTokensOf, detection })
  const teaching = teachingFlow({ database, blobs, bus, clock, log, detection })
  const actions = actionFlow({ database, blobs, bus, live, clock, log, printers, detection, teaching })
  const noteEnded: NoteEnded = (trx, ended) => requestTimelapses(trx, ended, clock.now())
  const frames = framesFlow({ blobs, log })
  const manualPrints = manualPrintFlow({ database, bus, clock, detection, noteEnded })
  const authTokens = authTokenFlow({ database, bus, clock, secrets })
  const agents = agentFlow({ database, bus, live, clock, log, printers, detection, noteEnded })
  const awaitPics = (id: number, pics_to_come: number): Promise<void> =>
    database.transaction((trx) => requestTimelapses(trx, [{ id, end_assumed: false, pics_to_come }], clock.now()))
  const pictures = pictureFlow({ database, blobs, bus, live, clock, secrets, detection, frames, awaitPics })
  const viewing = viewingFlow({ bus })
  const tickets = ticketFlow({ bus, clock })
  const feeds = feedFlow({ database, bus, clock, log, facts, detection })

  userRoutes(api, app, { database, clock, secrets, users, authenticator: auth })
  oauthRoutes(api, app, {
    ...{ database, bus, clock, secrets, authenticator: auth, publicUrl: users.publicUrl },
    accessTokenSeconds: config.accessTokenSeconds,
  })
  printRoutes(api, {
    ...{ database, live, clock, secrets: authTokensOf, media: urls, detection, teaching },
    removal: printRemovalFlow({ database, blobs, clock, log }),
    noteRead: authTokens.noteRead,
    uploadTimelapse: timelapseUploadFlow({ ...{ database, blobs, clock, log, secrets }, ...deps.videos }).upload,
    retryTimelapse: retryFlow({ database, clock, frames, hasJobs: deps.jobs !== undefined }).retry,
    changed: (printerId) => bus.publish(printerSubject(printerId), { type: 'row' }),
  })
  feedbackRoutes(api, { database, clock, media: urls, teaching })
  const past = pastRoutes(api, {
    ...{ database, blobs, clock, log, secrets, media: urls, detector, detection, teaching, frames },
    smoothing: config.smoothing,
    historyBytes: config.historyBytes ?? DEFAULT_HISTORY_BYTES,
    hasJobs: deps.jobs !== undefined,
  })
  printerEventRoutes(api, { database, media: urls })
  cameraRoutes(api, {
    ...{ database, live, media: urls, contexts: detection.contexts },
    cameraChanged: detection.cameraChanged,
  })
  selfTestRoutes(api, { database, selfTests })
  serviceRoutes(api, { detector, outbound, maxSnapshotBytes: config.maxSnapshotBytes })
  predictRoutes(api, { database, detection, maxSnapshotBytes: config.maxSnapshotBytes })
  const pictureWatch = pictureWatchFlow({ database, live, printers, manualPrints })
  printerRoutes(api, { database, bus, clock, secrets, media: urls, facts, actions, pictureWatch, authTokens })
  authTokenPageRoutes(app, { database, secrets, authTokens, authenticator: auth })
  agentRoutes(api, { database, bus, clock, pictures, maxSnapshotBytes: config.maxSnapshotBytes })
  sharingRoutes(api, { database, clock, secrets })
  deviceRoutes(api, { database, clock })
  firstLayerRoutes(api)
  notificationRoutes(api, { database, clock, secrets })
  linkingRoutes(api, { database, bus, live, clock, secrets, facts, media: urls })
  const gCode = await gCodeRoutes(api, {
    ...{ database, blobs, live, clock, log, secrets, printers, facts, media: urls },
    maxGCodeBytes: config.maxGCodeBytes,
  })
  liveRoutes(api, { tickets })
  adminRoutes(api, { database, bus, clock, secrets, users, accessTokenSeconds: config.accessTokenSeconds })
  const retention = retentionFlow({ database, blobs, clock, log, limits: deps.retention ?? KEEP_ALL })
  retentionRoutes(api, { retention })
  mediaRoute(app, { blobs, clock, secrets })
  healthRoutes(app, { database, blobs, detector, authenticator: auth, metrics })
  documentRoutes(app)
  await pages.register(app)

  const agentSockets = agentSocket(app, {
    ...{ agents, bus, clock, log, authenticator: auth, isViewed: viewing.isViewed },
    ...(deps.agentLimits === undefined ? {} : { limits: deps.agentLimits }),
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
    noteReader: (caller, request) => authTokens.noteReadOfAll(caller, whenceOf(request)),
  })

  const kinds = deps.jobs && {
    [TIMELAPSE_JOB]: timelapseJob({
      ...{ database, blobs, bus, clock, log, frames, findEncoder: deps.jobs.findEncoder },
      scratchFolder: deps.videos.scratchFolder,
      keepHistory: past.keepHistory,
    }),
    [RETENTION_JOB]: retention.job,
  }
  // Beside the others: one look back at a long print must not hold up the videos of those that end.
  const lookBacks = deps.jobs && jobFlow({ database, bus, clock, log, secrets, kinds: past.kinds })
  lookBacks?.start()
  const jobs = kinds && jobFlow({ database, bus, clock, log, secrets, kinds })
  if (jobs !== undefined) await retention.schedule()
  jobs?.start()
  watchdog.start()
  selfTests.start()

  // Before the listening socket closes: agents and apps are told to come back, then what they sent is finished.
  app.addHook('preClose', async () => {
    await Promise.all([agentSockets.close(), liveSockets.close()])
  })
  app.addHook('onClose', async () => {
    await Promise.all([jobs?.close(), lookBacks?.close()])
    await users.settled()
    await Promise.all([watchdog.close(), selfTests.close()])
    await detection.close()
    printers.close()
    gCode.close()
  })
  return { http: app, users }
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
