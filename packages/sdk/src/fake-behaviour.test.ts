import { expect, test } from 'vitest'
import type { ApiError } from './errors.js'
import { createFakeServer, FakeRefusal } from './testing.js'

const refusalOf = async (call: Promise<unknown>): Promise<ApiError> =>
  call.then(
    () => Promise.reject(new Error('it was not refused')),
    (error: ApiError) => error,
  )

test('notification settings: added, changed, replaced, tried, deleted; what they hold is for those who may write', async () => {
  const server = createFakeServer()
  const client = server.client()
  expect(await client.listNotificationSettings()).toMatchObject([{ name: 'email', enabled: true }])
  const config = { access_token: 'k' }
  const { id } = await client.createNotificationSetting({ name: 'slack', config, notify_on_print_start: true })
  expect(await refusalOf(client.createNotificationSetting({ name: 'slack', config }))).toMatchObject({ status: 409 })
  const bad = client.createNotificationSetting({ name: 'discord', config: { webhook_url: 'x' } })
  expect(await refusalOf(bad)).toMatchObject({ issues: [{ path: 'config.webhook_url' }] })
  expect(await client.updateNotificationSetting({ id, enabled: false })).toMatchObject({
    enabled: false,
    notify_on_print_start: true,
    config,
  })
  const replaced = await client.replaceNotificationSetting({ id, name: 'slack', config: { access_token: 'new' } })
  expect(replaced).toMatchObject({ enabled: true, notify_on_print_start: false, config: { access_token: 'new' } })
  expect(await client.sendTestNotification({ id })).toEqual({ status: 'sent' })
  const reader = server.client({ scopes: ['read'] })
  expect(await reader.getNotificationSetting({ id })).toMatchObject({ config: { access_token: null } })
  await client.deleteNotificationSetting({ id })
  expect(await client.listNotificationSettings()).toHaveLength(1)
  expect(await refusalOf(client.getNotificationSetting({ id }))).toMatchObject({ code: 'not_found' })
})

test('a device that is registered again is the same one', async () => {
  const server = createFakeServer()
  const client = server.client()
  const phone = { platform: 'android', device_token: 't' } as const
  const { id } = await client.registerMobileDevice({ ...phone, app_version: '1' })
  expect(await client.registerMobileDevice({ ...phone, app_version: '2' })).toMatchObject({ id, app_version: '2' })
  expect(await client.listMobileDevices()).toHaveLength(1)
  expect(await server.client({ userId: server.addUser() }).listMobileDevices()).toEqual([])
})

test('a code that an agent shows links it to a new printer, once', async () => {
  let now = Date.parse('2026-01-01T00:00:00Z')
  const server = createFakeServer({ now: () => now })
  const client = server.client()
  const { code, secret } = await client.startAgentLink({ device_name: 'Pi', agent_version: '1.0' })
  const statuses: number[] = []
  const poll = () => client.pollAgentLink({ secret }, { onResponse: ({ status }) => statuses.push(status) })
  expect(await poll()).toMatchObject({ state: 'pending', expires_in: 900 })
  expect(await refusalOf(client.linkPrinter({ code: `${code}0` }))).toMatchObject({ code: 'not_found' })
  const printer = await client.linkPrinter({ code })
  expect(printer.name).toBe('Pi')
  expect(await poll()).toEqual({ state: 'linked', printer_id: printer.id, auth_token: printer.auth_token })
  expect(statuses).toEqual([202, 200])
  expect(await refusalOf(poll())).toMatchObject({ code: 'expired' })

  const late = await client.startAgentLink({ device_name: 'Late', agent_version: '1.0' })
  now += 900_000
  expect(await refusalOf(client.linkPrinter({ code: late.code }))).toMatchObject({ code: 'not_found' })
})

test('a code that a user types at an agent links a printer anew: its agent before is cut off', async () => {
  const server = createFakeServer()
  const printer = server.addPrinter()
  const before = printer.authToken
  const client = server.client()
  const asked = await client.requestLinkCode({ printer_id: printer.id })
  expect(await client.requestLinkCode({ printer_id: printer.id })).toMatchObject({ id: asked.id, code: asked.code })
  const verified = await client.verifyLinkCode({ code: asked.code ?? '' })
  expect(verified.printer).toMatchObject({ id: printer.id, auth_token: printer.authToken })
  expect(printer.authToken).not.toBe(before)
  expect(await refusalOf(server.client({ token: before }).getAgentPrinter())).toMatchObject({ status: 401 })
  expect(await client.getLinkCode({ id: asked.id })).toMatchObject({ verified_at: expect.any(String) })
})

test('apps, tokens and sessions are managed by a signed-in browser', async () => {
  const server = createFakeServer()
  expect(await refusalOf(server.client().listOAuthApps())).toMatchObject({ status: 403 })
  const browser = server.client({ session: true })
  const uris = { redirect_uris: ['myapp://callback'] }
  const wrong = browser.createOAuthApp({ name: 'Web', type: 'confidential', ...uris })
  expect(await refusalOf(wrong)).toMatchObject({ issues: [{ path: 'redirect_uris.0' }] })
  const app = await browser.createOAuthApp({ name: 'Phone', type: 'public', ...uris })
  expect(app).toMatchObject({ client_secret: null, require_pkce: true, owner: 'user@example.test' })
  expect(await refusalOf(browser.rotateOAuthAppSecret({ id: app.id }))).toMatchObject({ status: 409 })
  expect(await browser.updateOAuthApp({ id: app.id, name: 'Tablet' })).toMatchObject({ name: 'Tablet' })
  await browser.deleteOAuthApp({ id: app.id })
  expect(await browser.listOAuthApps()).toEqual([])

  const held = server.client({ token: server.addToken({ app: 'Phone', scopes: ['read'] }) })
  const [connection] = await browser.listConnectedApps()
  expect(connection).toMatchObject({ name: 'Phone', scope: 'read' })
  await browser.disconnectApp({ id: connection?.id ?? 0 })
  expect(await refusalOf(held.getMe())).toMatchObject({ code: 'token_revoked' })

  const made = await browser.createPersonalToken({ name: 'script', scope: 'read', expires_in_days: 1 })
  const names = (await browser.listPersonalTokens()).map(({ name }) => name)
  expect(names).toContain('script')
  const script = server.client({ token: made.access_token })
  expect(await script.getMe()).toMatchObject({ id: server.userId })
  await browser.revokePersonalToken({ id: made.id })
  expect(await refusalOf(script.getMe())).toMatchObject({ code: 'token_revoked' })
  expect((await server.client().listSecurityEvents()).map(({ type }) => type)).toEqual([
    'token_revoked',
    'token_made',
    'app_disconnected',
    'app_removed',
    'app_registered',
  ])
  await browser.signOutEverywhere()
  expect(await refusalOf(browser.listSessions())).toMatchObject({ status: 401 })
})

test('an administrator adds, disables and invites accounts', async () => {
  const server = createFakeServer()
  const admin = server.client({ userId: server.addUser({ is_admin: true, email: 'admin@example.test' }) })
  expect(await refusalOf(server.client().listAccounts())).toMatchObject({ status: 403 })
  const made = await admin.createAccount({ email: 'new@example.test', password: 'correct-horse', is_admin: true })
  const again = admin.createAccount({ email: 'new@example.test', password: 'correct-horse' })
  expect(await refusalOf(again)).toMatchObject({ code: 'conflict' })
  const { access_token } = await admin.adminSignIn({ email: 'new@example.test', password: 'correct-horse' })
  expect(await server.client({ token: access_token }).listAccounts()).toHaveLength(3)
  await admin.updateAccount({ id: made.id, disabled: true })
  expect(await refusalOf(server.client({ token: access_token }).getMe())).toMatchObject({ status: 401 })
  const { id, url } = await admin.createInvitation({ email: 'guest@example.test' })
  expect(url).toContain('token=')
  expect(await admin.listInvitations()).toMatchObject([{ id, email: 'guest@example.test' }])
  await admin.deleteInvitation({ id })
  expect(await admin.listInvitations()).toEqual([])
  expect(await admin.getRetention()).toMatchObject({ prints: [], freed_bytes: 0 })
})

test('a camera: settings, self-test, and what was learned', async () => {
  const server = createFakeServer()
  const printer = server.addPrinter()
  const client = server.client()
  expect(await client.listCameras({ id: printer.id })).toEqual([])
  expect(await refusalOf(client.runSelfTest({ id: printer.id }))).toMatchObject({ code: 'conflict' })
  const agent = server.client({ token: printer.authToken })
  await agent.uploadPic({ pic: new Blob(['picture']), camera_name: 'nozzle' })
  const [camera] = await client.listCameras({ id: printer.id })
  expect(camera).toMatchObject({ name: 'nozzle', is_primary: true, settings: { tiles: 'off' } })
  const { pic } = await client.getPrinter({ id: printer.id })
  expect(await (await server.fetch(new Request(pic?.img_url ?? ''))).text()).toBe('picture')
  const at = { id: printer.id, camera_id: camera?.id ?? 0 }
  const changed = await client.updateCamera({ ...at, settings: { tiles: 'always' } })
  expect(changed.settings).toMatchObject({ tiles: 'always', baseline_enabled: true })
  expect(await client.runSelfTest({ id: printer.id })).toMatchObject({ passed: true })
  expect((await client.getPrinter({ id: printer.id })).watching.cameras).toMatchObject([
    { self_test: { passed: true } },
  ])
  expect(await client.forgetBaseline(at)).toMatchObject({ bytes: 0 })
  const elsewhere = client.getCameraLearned({ ...at, id: server.addPrinter().id })
  expect(await refusalOf(elsewhere)).toMatchObject({ code: 'not_found' })
})

test('an alert is answered: the camera needs more from then on, until the answer is taken back', async () => {
  const server = createFakeServer()
  const printer = server.addPrinter()
  const camera_id = printer.addCamera().id
  const print = printer.startPrint('cube.gcode')
  printer.analyse(0.2)
  printer.alert(0.9)
  const client = server.client()
  const [alert] = await client.listPrintAlerts({ id: print.id })
  expect(alert).toMatchObject({ print: print.id, camera: { id: camera_id }, evidence: { history: [{}, {}] } })
  const id = alert?.id ?? 0
  const answered = await client.answerAlert({ id, answer: 'NOT_FAILED' })
  expect(answered).toMatchObject({ alert: { answer: 'NOT_FAILED' }, needed_score_before: 0.5 })
  expect(answered.calibration?.needed_score).toBeGreaterThan(0.55)
  expect(await client.getPrint({ id: print.id })).toMatchObject({
    alert_overwrite: 'NOT_FAILED',
    alert_acknowledged_at: expect.any(String),
  })
  expect(await client.listDetectionExamples()).toMatchObject([{ alert: id, source: 'alert' }])
  expect(await client.answerAlert({ id, answer: null })).toMatchObject({
    alert: { answer: null, example_id: null },
    calibration: { offset: 0, answers: [] },
  })

  const again = await client.answerAlert({ id, answer: 'FAILED' })
  const place = { id: printer.id, camera_id }
  const removed = await client.removeCalibrationAnswer({ ...place, answer_id: again.alert.example_id ?? 0 })
  expect(removed).toMatchObject({ offset: 0 })
  expect(await client.getAlert({ id })).toMatchObject({ answer: null })
  const frames = await client.listPrintFrames({ id: print.id })
  await client.labelFrame({ id: print.id, frame_ts: frames[0]?.ts ?? 0, answer: 'FAILED' })
  expect((await client.getCalibration(place)).offset).toBeGreaterThan(0)
  expect(await client.resetCalibration(place)).toMatchObject({ offset: 0 })
  expect(await client.listDetectionExamples()).toHaveLength(1)
})

test('what is said about a print, or by going on, is said about its last alert', async () => {
  const server = createFakeServer()
  const printer = server.addPrinter()
  const print = printer.startPrint()
  printer.alert(0.9)
  const client = server.client()
  await client.resumePrint({ id: printer.id })
  expect(await client.listPrintAlerts({ id: print.id })).toMatchObject([{ answer: 'NOT_FAILED' }])
  expect(await client.listDetectionExamples()).toMatchObject([{ source: 'resume' }])
  await client.updatePrint({ id: print.id, alert_overwrite: 'FAILED' })
  expect(await client.listPrintAlerts({ id: print.id })).toMatchObject([{ answer: 'FAILED' }])
  await client.updatePrint({ id: print.id, alert_overwrite: null })
  expect(await client.listDetectionExamples()).toEqual([])
})

test('a print is watched for as long as its last analysed picture is fresh', async () => {
  let now = Date.parse('2026-01-01T00:00:00Z')
  const server = createFakeServer({ now: () => now })
  const printer = server.addPrinter()
  printer.startPrint()
  const client = server.client()
  const watching = async () => (await client.getPrinter({ id: printer.id })).watching
  expect(await watching()).toMatchObject({ is_watching: false, frames_analysed: 0 })
  printer.analyse(0.2)
  expect(await watching()).toMatchObject({ is_watching: true, advice: null, last_score: 0.2, frames_analysed: 1 })
  now += 90_001
  expect(await watching()).toMatchObject({ is_watching: false })
  expect(await client.getPrinter({ id: printer.id })).toMatchObject({ not_watching_code: 'no_picture' })
})

test('labelled pictures are exported only with consent', async () => {
  const server = createFakeServer()
  const client = server.client()
  expect(await refusalOf(client.exportDetectionExamples())).toMatchObject({ code: 'conflict' })
  await client.updateMe({ detection_export_consent: true })
  // The answer is a file, so that it is downloaded.
  const { type, size, stream } = await client.download('/api/v1/detection/examples/export/')
  expect([type, size]).toEqual(['application/zip', 22])
  expect((await new Response(stream).text()).slice(0, 2)).toBe('PK')
})

test('a past print is judged again, and its predictions can be read', async () => {
  let now = Date.parse('2026-01-01T00:00:00Z')
  const server = createFakeServer({ now: () => now })
  const printer = server.addPrinter()
  const print = printer.startPrint()
  for (const score of [0.1, 0.5, 0.5, 0.1]) {
    printer.analyse(score)
    now += 10_000
  }
  const client = server.client()
  const calm = await client.backtestPrint({ id: print.id, model: 'kept_scores' })
  expect(calm).toMatchObject({ status: 'done', result: { score: [0.1, 0.5, 0.5, 0.1], happened: [] } })
  expect(calm.result?.would).toMatchObject([{ outcome: 'warning' }])
  const keen = await client.backtestPrint({ id: print.id, model: 'kept_scores', sensitivity: 2 })
  expect(keen.result?.would).toMatchObject([{ outcome: 'paused' }])
  const rerun = await client.backtestPrint({ id: print.id, model: 'rerun' })
  expect(rerun).toMatchObject({ status: 'queued', result: null })
  expect(await client.getBacktest({ id: rerun.id })).toMatchObject({ status: 'done', progress: 1 })
  expect(await client.getPredictionJson({ id: print.id })).toHaveLength(4)
  expect(await client.listPrintFrames({ id: print.id, start: 1, step: 2 })).toMatchObject([
    { score: 0.5 },
    { score: 0.1 },
  ])
})

test('one’s own time-lapse is uploaded once the print is over', async () => {
  const server = createFakeServer()
  const printer = server.addPrinter()
  const { id } = printer.startPrint()
  const client = server.client()
  const upload = () => client.uploadTimelapse({ id, file: new Blob(['video'], { type: 'video/mp4' }) })
  expect(await refusalOf(upload())).toMatchObject({ code: 'conflict' })
  printer.endPrint()
  const { uploaded_at, video_url } = await upload()
  expect(uploaded_at).not.toBeNull()
  expect(await (await server.fetch(new Request(video_url ?? ''))).text()).toBe('video')
})

test('a slicer uploads a file into a folder and has it printed', async () => {
  const server = createFakeServer()
  const printer = server.addPrinter({ name: 'MK4' })
  const client = server.client()
  expect((await client.getSlicerVersion()).text).toMatch(/^OctoPrint/)
  const file = new File(['G28'], 'cube.gcode')
  const sent = await client.uploadFromSlicer({ file, path: 'parts/small', print: 'true' })
  expect(sent).toMatchObject({ effectivePrint: true, files: { local: { path: 'parts/small/cube.gcode' } } })
  await expect.poll(() => client.getSlicerJob()).toMatchObject({ job: { file: { name: 'cube.gcode' } } })
  expect(await client.getSlicerPrinter()).toMatchObject({ state: { text: 'Printing', flags: { printing: true } } })
  expect(await client.listGCodeFiles({ q: 'cube' })).toMatchObject([{ parent_folder: { name: 'small' } }])
  const busy = client.uploadFromSlicerToPrinter({ printer: 'MK4', file, print: 'true' })
  expect(await refusalOf(busy)).toMatchObject({ status: 400 })
  expect(await refusalOf(client.uploadFromSlicerToPrinter({ printer: 'none', file }))).toMatchObject({ status: 404 })
  expect(printer.id).toBeGreaterThan(0)
})

test('an agent reports events and files of its printer', async () => {
  const server = createFakeServer()
  const printer = server.addPrinter({ name: 'MK4' })
  const agent = server.client({ token: printer.authToken })
  expect(await agent.getAgentPrinter()).toMatchObject({ printer: { id: printer.id, name: 'MK4' } })
  const words = { event_title: 'Heater off', event_text: 'By hand' }
  await agent.reportPrinterEvent({ event_type: 'PRINTER_ERROR', event_class: 'ERROR', ...words })
  expect(await server.client().listPrinterEvents()).toMatchObject([{ event_title: 'Heater off' }])
  const known = { safe_filename: 'a.gcode', agent_signature: 'ts:1' }
  const first = await agent.reportGCodeFile({ ...known, num_bytes: '12' })
  expect(await agent.reportGCodeFile(known)).toMatchObject({ id: first.id, num_bytes: 12 })
  await agent.updateReportedGCodeFile({ id: first.id, agent_signature: 'ts:2' })
  expect(await agent.listReportedGCodeFiles()).toMatchObject([{ agent_signature: 'ts:2' }])
  expect(await agent.listGCodeFilesAsAgent({ resident_printer: printer.id })).toMatchObject([{ id: first.id }])
  expect(await server.client().listGCodeFiles()).toEqual([])
})

test('the assistant: chats are kept, and answers come word by word', async () => {
  const server = createFakeServer()
  const client = server.client()
  const chats = []
  for (const content of ['[1]', '[2]', '[3]']) chats.push(await client.createChat({ messages: content }))
  const pages = []
  for await (const { messages } of client.allChats({ limit: 2 })) pages.push(messages)
  expect(pages).toEqual(['[3]', '[2]', '[1]'])
  const id = chats[0]?.id ?? 0
  expect(await client.updateChat({ id, machine_name: 'MK4' })).toMatchObject({ messages: '[1]', machine_name: 'MK4' })
  expect(await refusalOf(client.createChat({ messages: ' ' }))).toMatchObject({ issues: [{ path: 'messages' }] })
  expect(await refusalOf(server.client({ userId: server.addUser() }).getChat({ id }))).toMatchObject({ status: 404 })
  await client.deleteChat({ id })
  expect(await client.listChats()).toHaveLength(2)

  server.on('sendChatMessage', () => ({
    message: { role: 'assistant', content: 'Two of ten.', looked_at: [{ tool: 'list_prints', about: 'the last 10' }] },
  }))
  server.on('createPostMortem', () => Promise.reject(new FakeRefusal('assistant_not_configured')))
  const steps: unknown[] = []
  const question = { messages: [{ role: 'user' as const, content: 'How many failed?' }] }
  for await (const event of client.askAssistant(question)) {
    steps.push(event.type === 'delta' ? event.text : event.type === 'look' ? event.look.about : event.message.content)
  }
  expect(steps).toEqual(['the last 10', 'Two', ' of', ' ten.', 'Two of ten.'])
  const asking = client.askPostMortem({ id: 7 }).next()
  expect(await refusalOf(asking)).toMatchObject({ status: 503, code: 'assistant_not_configured' })
})

test('why a print failed: asked of one that is over, for a credit, and kept', async () => {
  const server = createFakeServer()
  const client = server.client()
  const printer = server.addPrinter()
  printer.startPrint('cube.gcode')
  const [running] = await client.listPrints()
  expect(await refusalOf(client.createPostMortem({ id: running?.id ?? 0 }))).toMatchObject({ status: 409 })
  const { id } = server.addPrint({ printerId: printer.id, how: 'failed' })
  expect(await refusalOf(client.getPostMortem({ id }))).toMatchObject({ status: 404 })
  const writer = server.client({ scopes: ['write'] })
  expect(await refusalOf(writer.createPostMortem({ id }))).toMatchObject({ status: 403, code: 'insufficient_scope' })
  const told = []
  for await (const event of client.askPostMortem({ id })) if (event.type === 'message') told.push(event.postMortem)
  expect(told).toMatchObject([{ print_id: id, certainty: 'unclear' }])
  expect(await client.getPostMortem({ id })).toEqual(told[0])
  const admin = server.client({ userId: server.addUser({ is_admin: true }) })
  await admin.updateAccount({ id: server.userId, ai_credit_free_monthly_quota: 1 })
  await client.createPostMortem({ id })
  expect(await refusalOf(client.createPostMortem({ id }))).toMatchObject({ status: 402, code: 'credits_exhausted' })
  expect(await client.getAssistantMe()).toMatchObject({ ai_credits: { ai_credit_used_current_month: 1 } })
})
