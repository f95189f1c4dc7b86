import { ApiError, type Client, CommandError, type Printer } from '@printwarden/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fakeWorld, realWorld, type SdkWorld } from '../support/sdk-worlds.js'

// What an app sees through the SDK must be the same at the fake server, with which apps are tested, and at the real one. Every test
// runs against both.

describe.each([
  { name: 'the fake server', open: fakeWorld },
  { name: 'the real server', open: realWorld },
])('at $name', ({ open }) => {
  let world: SdkWorld

  beforeAll(async () => {
    world = await open()
  }, 120_000)
  afterAll(() => world?.close())

  const refusalOf = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => undefined,
      (error: unknown) => error,
    )

  async function clientWith(...names: string[]): Promise<{ client: Client; printers: Printer[] }> {
    const client = await (await world.newAccount()).client()
    const printers: Printer[] = []
    for (const name of names) printers.push(await client.createPrinter({ name }))
    return { client, printers }
  }

  async function printing(obedience: 'obey' | 'refuse' | 'ignore' = 'obey') {
    const { client, printers } = await clientWith('MK4')
    const [printer] = printers
    if (printer === undefined) throw new Error('no printer')
    const workshop = await world.connect(printer, obedience)
    await workshop.startPrint('cube.gcode')
    return { client, id: printer.id, workshop }
  }

  test('tokens: none, wrong, expired, revoked, and without the scope', async () => {
    const account = await world.newAccount()
    const revoked = await account.token(['read'])
    await world.revoke(revoked)
    const codes = []
    for (const token of [undefined, 'wrong', world.expiredToken(), revoked]) {
      codes.push(await refusalOf(world.client(token === undefined ? {} : { token }).getMe()))
    }
    expect(codes).toMatchObject([
      { status: 401, code: 'unauthorized' },
      { status: 401, code: 'unauthorized' },
      { status: 401, code: 'token_expired' },
      { status: 401, code: 'token_revoked' },
    ])
    const reader = await account.client(['read'])
    const writer = await account.client(['write'])
    expect(await refusalOf(reader.createPrinter({ name: 'x' }))).toMatchObject({
      code: 'insufficient_scope',
      status: 403,
    })
    expect(await refusalOf(writer.listPrinters())).toMatchObject({ code: 'insufficient_scope', status: 403 })
  })

  test('scope comes before existence, existence before input', async () => {
    const account = await world.newAccount()
    const reader = await account.client(['read'])
    const both = await account.client()
    const wrong = { id: 999_999, name: 7 as never }
    expect(await refusalOf(reader.updatePrinter(wrong))).toMatchObject({ status: 403 })
    expect(await refusalOf(both.getPrinter({ id: Number.MAX_SAFE_INTEGER + 2 }))).toMatchObject({ status: 404 })
    const printer = await both.createPrinter({ name: 'MK4' })
    expect(await refusalOf(both.updatePrinter({ ...wrong, id: printer.id }))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      issues: [{ path: 'name' }],
    })
  })

  test('a profile is changed, and read-only fields are ignored', async () => {
    const { client } = await clientWith()
    const before = await client.getMe()
    const me = await client.updateMe({ first_name: 'Ada', ...{ id: 1, is_admin: true } })
    expect(me).toEqual({ ...before, first_name: 'Ada' })
    expect(await client.getMe()).toMatchObject({ first_name: 'Ada', is_admin: false })
  })

  test('the life of a printer', async () => {
    const { client, printers } = await clientWith('A', 'B')
    const [first, second] = printers
    if (first === undefined || second === undefined) throw new Error('no printers')
    expect(first).toMatchObject({
      name: 'A',
      status: null,
      current_print: null,
      auth_token: expect.stringMatching(/^[0-9a-f]{40}$/),
    })
    expect(await client.updatePrinter({ id: first.id, detective_sensitivity: 1.5 })).toMatchObject({
      detective_sensitivity: 1.5,
    })
    expect(await client.archivePrinter({ id: first.id })).toMatchObject({ archived_at: expect.any(String) })
    expect((await client.listPrinters()).map(({ id }) => id)).toEqual([second.id])
    const all = await client.listPrinters({ with_archived: true })
    expect(new Set(all.map(({ id }) => id))).toEqual(new Set([first.id, second.id]))
    expect(await client.unarchivePrinter({ id: first.id })).toMatchObject({ archived_at: null })
    expect(await client.deletePrinter({ id: first.id })).toBeUndefined()
    expect(await refusalOf(client.getPrinter({ id: first.id }))).toMatchObject({ code: 'not_found' })
  })

  test("another's printer and a missing one are told in the same words", async () => {
    const { printers } = await clientWith('mine')
    const other = await clientWith()
    const foreign = await refusalOf(other.client.getPrinter({ id: printers[0]?.id ?? 0 }))
    const missing = await refusalOf(other.client.getPrinter({ id: 987_654_321 }))
    expect(foreign).toBeInstanceOf(ApiError)
    expect(JSON.stringify(foreign)).toBe(JSON.stringify(missing))
    expect(foreign).toHaveProperty('detail', missing instanceof ApiError && missing.detail)
  })

  test('a command is waited for until the printer shows it', async () => {
    const { client, id } = await printing()
    const result = await client.pausePrint({ id })
    expect(result).toMatchObject({ succeeded: true, printer: { id } })
    const command = await client.waitFor(result)
    expect(command).toMatchObject({ cmd: 'pause', status: 'done', printer_id: id, error: null, initiator: 'api' })
    expect(await client.waitFor(command)).toEqual(command)
    expect(await client.getPrinter({ id })).toMatchObject({ status: { state: { text: 'Paused' } } })
    await client.waitFor(await client.resumePrint({ id }))
    await client.waitFor(await client.cancelPrint({ id }))
    expect(await client.listPrints({ filter: 'cancelled' })).toMatchObject([{ filename: 'cube.gcode' }])
  })

  test('a command that the printer refuses rejects with its reason', async () => {
    const { client, id } = await printing('refuse')
    const error = await refusalOf(client.pausePrint({ id }).then((result) => client.waitFor(result)))
    expect(error).toBeInstanceOf(CommandError)
    expect(error).toMatchObject({ code: 'failed', message: 'refused: the printer refused', command: { cmd: 'pause' } })
  })

  test('a command that is ignored can be given up', async () => {
    const { client, id } = await printing('ignore')
    const result = await client.pausePrint({ id })
    const reason = new Error('enough')
    expect(await refusalOf(client.waitFor(result, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(await refusalOf(client.waitFor(result, { timeoutMs: 50 }))).toMatchObject({ name: 'NetworkError' })
  })

  test('actions without a print do not succeed', async () => {
    const { client, printers } = await clientWith('idle')
    const id = printers[0]?.id ?? 0
    for (const action of ['pausePrint', 'muteCurrentPrint', 'acknowledgeAlert', 'rearmPrinter'] as const) {
      expect(await client[action]({ id })).toMatchObject({ succeeded: false, command_id: null })
    }
    expect(await refusalOf(client.pausePrint({ id }).then((result) => client.waitFor(result)))).toMatchObject({
      name: 'CommandError',
      code: 'not_sent',
    })
  })

  test('muting is undone, and both are told in the history', async () => {
    const { client, id } = await printing()
    expect(await client.muteCurrentPrint({ id })).toMatchObject({
      succeeded: true,
      printer: { current_print: { alert_muted_at: expect.any(String) } },
    })
    expect(await client.muteCurrentPrint({ id, mute_alert: false })).toMatchObject({
      printer: { current_print: { alert_muted_at: null } },
    })
    const events = await client.listPrinterEvents({ printer_id: id })
    expect(events.map(({ event_type }) => event_type)).toEqual(['ALERT_UNMUTED', 'ALERT_MUTED', 'STARTED'])
  })

  test('prints are listed, filtered and paged', async () => {
    const { client, id, workshop } = await printing()
    await workshop.endPrint('finished')
    for (const how of ['cancelled', 'failed', 'finished'] as const) {
      await workshop.startPrint(`${how}.gcode`)
      await workshop.endPrint(how)
    }
    const names = async (query: Parameters<Client['listPrints']>[0]) =>
      (await client.listPrints(query)).map(({ filename }) => filename)
    expect(await names({ sorting: 'date_asc' })).toEqual([
      'cube.gcode',
      'cancelled.gcode',
      'failed.gcode',
      'finished.gcode',
    ])
    expect(await names({ sorting: 'date_asc', start: 1, limit: 2 })).toEqual(['cancelled.gcode', 'failed.gcode'])
    expect((await names({ filter: 'cancelled' })).sort()).toEqual(['cancelled.gcode', 'failed.gcode'])
    expect(await names({ filter: 'failed', 'filter_by_printer_ids[]': [id] })).toEqual(['failed.gcode'])
    expect(await names({ 'filter_by_printer_ids[]': [id + 1_000_000] })).toEqual([])
    expect(await refusalOf(client.listPrints({ start: 1 }))).toMatchObject({ status: 400, issues: [{ path: 'start' }] })
    expect(await refusalOf(client.listPrints({ filter: 'best' as never }))).toMatchObject({ status: 400 })
  })

  test('all prints come page by page, with the total in a header', async () => {
    const { client, workshop } = await printing()
    await workshop.endPrint('finished')
    for (const number of [1, 2, 3, 4]) {
      await workshop.startPrint(`${number}.gcode`)
      await workshop.endPrint('finished')
    }
    const totals: (string | null)[] = []
    const all: string[] = []
    const onResponse = ({ headers }: { headers: Headers }): void => void totals.push(headers.get('x-total-count'))
    for await (const print of client.allPrints({ sorting: 'date_asc', limit: 2 }, { onResponse }))
      all.push(print.filename)
    expect(all).toEqual(['cube.gcode', '1.gcode', '2.gcode', '3.gcode', '4.gcode'])
    expect(totals).toEqual(['5', '5', '5'])
    const newest = []
    for await (const print of client.allPrints()) newest.push(print.filename)
    expect(newest).toEqual(all.toReversed())
    const events = []
    for await (const event of client.allPrinterEvents({ limit: 3 })) events.push(event.id)
    expect(new Set(events).size).toBe(10)
    expect(events).toHaveLength(10)
  })

  test('a print is judged, and deleted once it is over', async () => {
    const { client, workshop } = await printing()
    const [running] = await client.listPrints()
    const id = running?.id ?? 0
    expect(await refusalOf(client.deletePrint({ id }))).toMatchObject({ status: 409, code: 'conflict' })
    await workshop.endPrint('finished')
    expect(await client.updatePrint({ id, alert_overwrite: 'NOT_FAILED' })).toMatchObject({
      id,
      alert_overwrite: 'NOT_FAILED',
      need_alert_overwrite: false,
    })
    expect(await client.getPredictionJson({ id })).toEqual([])
    expect(await client.bulkDeletePrints({ print_ids: [id, id + 1_000_000] })).toEqual({ deleted: 1 })
    expect(await refusalOf(client.getPrint({ id }))).toMatchObject({ code: 'not_found' })
  })

  test('live updates: the state, changes, commands, removal', async () => {
    const { client, id } = await printing()
    const told: string[] = []
    const live = client.live({
      printers: 'all',
      onCommand: ({ cmd, status }) => told.push(`${cmd} ${status}`),
      onRemoved: () => told.push('removed'),
    })
    await live.waitFor((printers) => printers.get(id)?.status?.state.text === 'Printing')
    await client.waitFor(await client.pausePrint({ id }))
    await live.waitFor((printers) => printers.get(id)?.status?.state.text === 'Paused')
    await client.updatePrinter({ id, name: 'New' })
    await live.waitFor((printers) => printers.get(id)?.name === 'New')
    await client.deletePrinter({ id })
    await live.waitFor((printers) => printers.size === 0)
    expect(told.at(-1)).toBe('removed')
    expect(told.slice(-4)).toEqual(['pause sent', 'pause acked', 'pause done', 'removed'])
    live.close()
  })

  test('live updates end with the token', async () => {
    const account = await world.newAccount()
    const token = await account.token(['read'])
    await (await account.client()).createPrinter({ name: 'MK4' })
    const live = world.client({ token }).live({ printers: 'all' })
    await live.waitFor((printers) => printers.size === 1)
    await world.revoke(token)
    expect(await refusalOf(live.waitFor(() => false))).toMatchObject({ code: 'token_revoked' })
  })

  test('a G-code file: uploaded, listed, moved, downloaded, printed, deleted', async () => {
    const { client, printers } = await clientWith('MK4')
    const content = 'G28\nG1 X10 Y10 E1\n'.repeat(1000)
    const loaded: number[] = []
    const file = new Blob([content])
    const saved = await client.uploadGCodeFile(
      { filename: 'my cube.gcode', file },
      { onProgress: (progress) => loaded.push(progress.loaded) },
    )
    expect(saved).toMatchObject({
      filename: 'my cube.gcode',
      safe_filename: 'my_cube.gcode',
      num_bytes: content.length,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      parent_folder: null,
    })
    expect(loaded.at(-1)).toBe(content.length)
    const folder = await client.createGCodeFolder({ name: 'parts' })
    expect(await client.moveGCodeFiles({ file_ids: [saved.id], parent_folder: folder.id })).toEqual({ moved: 1 })
    expect(await client.listGCodeFiles({ parent_folder: null })).toEqual([])
    expect(await client.listGCodeFiles({ parent_folder: folder.id, q: 'CUBE' })).toMatchObject([{ id: saved.id }])
    expect(await client.getGCodeFolder({ id: folder.id })).toMatchObject({ g_code_file_count: 1 })

    const { url } = await client.getGCodeFile({ id: saved.id })
    const download = await client.download(url ?? '')
    expect(download.size).toBe(content.length)
    expect(await new Response(download.stream).text()).toBe(content)

    const id = printers[0]?.id ?? 0
    expect(await client.printGCodeFile({ id: saved.id, printer_id: id })).toMatchObject({
      succeeded: false,
      reason: { code: 'offline' },
    })
    if (printers[0] !== undefined) await world.connect(printers[0])
    const result = await client.printGCodeFile({ id: saved.id, printer_id: id })
    expect(result).toMatchObject({ succeeded: true, reason: null, printer: { id } })
    expect(await client.waitFor(result)).toMatchObject({ cmd: 'print', status: 'done' })
    expect(await client.listPrints()).toMatchObject([{ filename: 'my cube.gcode', ended_at: null }])

    await client.deleteGCodeFile({ id: saved.id })
    expect(await client.listGCodeFiles()).toEqual([])
  })

  test('all files come page by page', async () => {
    const { client } = await clientWith()
    for (const number of [1, 2, 3, 4, 5])
      await client.uploadGCodeFile({ filename: `${number}.gcode`, file: new Uint8Array(number) })
    const names: string[] = []
    for await (const file of client.allGCodeFiles({ sorting: 'num_bytes_desc', page_size: 2 }))
      names.push(file.filename)
    expect(names).toEqual(['5.gcode', '4.gcode', '3.gcode', '2.gcode', '1.gcode'])
    expect(await client.listGCodeFiles({ page: 4, page_size: 2 })).toEqual([])
    expect(await refusalOf(client.listGCodeFiles({ page: 0 }))).toMatchObject({
      status: 400,
      issues: [{ path: 'page' }],
    })
  })

  test('a file that is no G-code, and a folder of somebody else, are refused', async () => {
    const { client } = await clientWith()
    const other = await clientWith()
    const foreign = await other.client.createGCodeFolder({ name: 'theirs' })
    const file = new Blob(['x'])
    expect(await refusalOf(client.uploadGCodeFile({ filename: 'x.exe', file }))).toMatchObject({
      code: 'invalid_request',
      issues: [{ path: 'filename' }],
    })
    const upload = client.uploadGCodeFile({ filename: 'x.gcode', file, parent_folder: foreign.id })
    expect(await refusalOf(upload)).toMatchObject({ code: 'invalid_request', issues: [{ path: 'parent_folder' }] })
    expect(await client.listGCodeFiles()).toEqual([])
    expect(await refusalOf(client.createGCodeFolder({ name: '' }))).toMatchObject({ status: 400 })
    const outer = await client.createGCodeFolder({ name: 'outer' })
    const inner = await client.createGCodeFolder({ name: 'inner', parent_folder: outer.id })
    expect(await refusalOf(client.updateGCodeFolder({ id: outer.id, parent_folder: inner.id }))).toMatchObject({
      status: 400,
    })
    expect(await refusalOf(client.createGCodeFolder({ name: 'outer' }))).toMatchObject({
      status: 400,
      issues: [{ path: 'name' }],
    })
  })

  test('a printer is shared', async () => {
    const { client, printers } = await clientWith('MK4')
    const printer_id = printers[0]?.id ?? 0
    const [share] = await client.sharePrinter({ printer_id })
    expect(await client.sharePrinter({ printer_id })).toEqual([share])
    expect(await client.listSharedResources({ printer_id })).toEqual([share])
    await client.unsharePrinter({ id: share?.id ?? 0 })
    expect(await client.listSharedResources({ printer_id })).toEqual([])
    expect(await refusalOf(client.listSharedResources({ printer_id: 999_999 }))).toMatchObject({ code: 'not_found' })
  })

  test('statistics of prints, in periods of a time zone', async () => {
    const { client, printers } = await clientWith('MK4')
    if (printers[0] === undefined) throw new Error('no printer')
    const workshop = await world.connect(printers[0])
    for (const how of ['finished', 'cancelled'] as const) {
      await workshop.startPrint(`${how}.gcode`)
      await workshop.endPrint(how)
    }
    const today = new Date().toISOString().slice(0, 10)
    const year = { timezone: 'Pacific/Auckland', from_date: `${today.slice(0, 4)}-03-30`, to_date: '2100-12-31' }
    await expect
      .poll(() => client.getPrintStats({ ...year, group_by: 'year' }))
      .toMatchObject({ total_print_count: 2, total_cancelled_print_count: 1, total_succeeded_print_count: 1 })
    const stats = await client.getPrintStats({ ...year, group_by: 'year', filter: 'cancelled' })
    expect(stats.print_count_groups[0]?.key).toBe(`${year.from_date}T00:00:00+13:00`)
    expect(stats.print_count_groups.reduce((sum, { value }) => sum + value, 0)).toBe(1)
    const week = {
      timezone: 'Europe/Berlin',
      from_date: '2026-03-25',
      to_date: '2026-04-05',
      group_by: 'week',
    } as const
    expect((await client.getPrintStats(week)).print_count_groups).toEqual([
      { key: '2026-03-25T00:00:00+01:00', value: 0 },
      { key: '2026-03-29T00:00:00+01:00', value: 0 },
      { key: '2026-04-05T00:00:00+02:00', value: 0 },
    ])
    const days = { ...week, from_date: '2000-01-01', group_by: 'day' } as const
    expect(await refusalOf(client.getPrintStats(days))).toMatchObject({ status: 400, issues: [{ path: 'group_by' }] })
  })

  test('notification settings', async () => {
    const { client } = await clientWith()
    const other = await clientWith()
    expect(await client.listNotificationSettings()).toMatchObject([{ name: 'email', config: {}, enabled: true }])
    const config = { chat_id: '123' }
    const made = await client.createNotificationSetting({ name: 'telegram', config, notify_on_print_start: true })
    const { id } = made
    expect(made).toMatchObject({ config, enabled: true, notify_on_print_start: true, notify_on_print_done: true })
    expect(await refusalOf(client.createNotificationSetting({ name: 'telegram', config }))).toMatchObject({
      status: 409,
    })
    const unfit = client.updateNotificationSetting({ id, config: { chat_id: '' } })
    expect(await refusalOf(unfit)).toMatchObject({ status: 400, issues: [{ path: 'config.chat_id' }] })
    expect(await client.updateNotificationSetting({ id, enabled: false })).toMatchObject({ config, enabled: false })
    expect(await client.replaceNotificationSetting({ id, name: 'telegram', config })).toMatchObject({
      enabled: true,
      notify_on_print_start: false,
    })
    expect(await refusalOf(other.client.getNotificationSetting({ id }))).toMatchObject({ code: 'not_found' })
    const email = (await client.listNotificationSettings())[0]?.id ?? 0
    expect(await refusalOf(client.deleteNotificationSetting({ id: email }))).toMatchObject({ status: 409 })
    await client.deleteNotificationSetting({ id })
    expect(await client.listNotificationSettings()).toHaveLength(1)
  })

  test('a mobile device is registered twice and is there once', async () => {
    const { client } = await clientWith()
    const phone = { platform: 'ios', device_token: `t${Math.random()}` } as const
    const { id } = await client.registerMobileDevice({ ...phone, app_version: '1' })
    await client.registerMobileDevice({ ...phone, app_version: '2', preferred_timezone: 'Europe/Berlin' })
    expect(await client.listMobileDevices()).toMatchObject([{ id, app_version: '2', deactivated_at: null }])
    expect(await refusalOf((await clientWith()).client.getMobileDevice({ id }))).toMatchObject({ status: 404 })
  })

  test('an agent that shows a code is linked', async () => {
    const { client } = await clientWith()
    const { code, secret, expires_in } = await client.startAgentLink({ device_name: 'Pi', agent_version: '1' })
    expect([code.length, expires_in]).toEqual([6, 900])
    expect(await client.pollAgentLink({ secret })).toMatchObject({ state: 'pending' })
    const printer = await client.linkPrinter({ code })
    expect(printer.name).toBe('Pi')
    const { id: printer_id, auth_token } = printer
    expect(await client.pollAgentLink({ secret })).toEqual({ state: 'linked', printer_id, auth_token })
    expect(await refusalOf(client.pollAgentLink({ secret }))).toMatchObject({ status: 410, code: 'expired' })
    const agent = world.client({ token: auth_token ?? '' })
    expect(await agent.getAgentPrinter()).toMatchObject({ printer: { id: printer_id, name: 'Pi' } })
    const rotated = await client.rotateAuthToken({ id: printer_id })
    expect(rotated.auth_token).not.toBe(auth_token)
    expect(await refusalOf(agent.getAgentPrinter())).toMatchObject({ status: 401 })
  })

  test('a printer without a camera, and a print without an alert', async () => {
    const { client, id } = await printing()
    expect(await client.listCameras({ id })).toEqual([])
    expect(await refusalOf(client.runSelfTest({ id }))).toMatchObject({ code: 'conflict' })
    expect(await refusalOf(client.getCameraLearned({ id, camera_id: 999_999 }))).toMatchObject({ code: 'not_found' })
    await expect.poll(() => client.listPrints()).toHaveLength(1)
    const print = (await client.listPrints())[0]?.id ?? 0
    expect(await client.listPrintAlerts({ id: print })).toEqual([])
    expect(await client.getPredictionJson({ id: print })).toEqual([])
    expect(await refusalOf((await clientWith()).client.listCameras({ id }))).toMatchObject({ code: 'not_found' })
  })

  test('apps and tokens are not for those who only have a token', async () => {
    const { client } = await clientWith()
    const app = { name: 'App', type: 'public' as const, redirect_uris: ['app://callback'] }
    expect(await refusalOf(client.createOAuthApp(app))).toMatchObject({ status: 403, code: 'insufficient_scope' })
    expect(await refusalOf(client.listPersonalTokens())).toMatchObject({ status: 403 })
    expect(await refusalOf(client.listAccounts())).toMatchObject({ status: 403 })
  })

  test('a slicer sends a file', async () => {
    const { client } = await clientWith('MK4')
    expect((await client.getSlicerVersion()).text).toMatch(/^OctoPrint/)
    expect(await client.getSlicerJob()).toMatchObject({ state: 'Offline', job: { file: { name: null } } })
    expect(await refusalOf(client.getSlicerPrinter())).toMatchObject({ status: 409 })
    const file = new File(['G28'], 'cube.gcode')
    const sent = await client.uploadFromSlicer({ file, path: 'parts/small' })
    expect(sent).toMatchObject({ effectivePrint: false, files: { local: { path: 'parts/small/cube.gcode' } } })
    expect(await client.listGCodeFiles()).toMatchObject([{ filename: 'cube.gcode', parent_folder: { name: 'small' } }])
    const offline = client.uploadFromSlicerToPrinter({ printer: 'MK4', file, print: 'true' })
    expect(await refusalOf(offline)).toMatchObject({ status: 400 })
    expect(await client.listGCodeFiles()).toHaveLength(2)
  })

  test('chats are kept for their user alone, newest first, and come page by page', async () => {
    const { client } = await clientWith()
    const ids: number[] = []
    for (const content of ['[1]', '[2]', '[3]']) ids.push((await client.createChat({ messages: content })).id)
    const id = ids[0] ?? 0
    const changed = await client.updateChat({ id, machine_name: 'MK4', user_feedback: 'positive' })
    expect(changed).toMatchObject({ id, messages: '[1]', machine_name: 'MK4', user_feedback: 'positive' })
    expect(await client.replaceChat({ id, messages: '[4]' })).toMatchObject({ messages: '[4]', machine_name: 'MK4' })
    expect(await client.getChat({ id })).toMatchObject({ messages: '[4]', filament_name: null })
    const totals: (string | null)[] = []
    const pages: number[] = []
    const onResponse = ({ headers }: { headers: Headers }): void => void totals.push(headers.get('x-total-count'))
    for await (const chat of client.allChats({ limit: 2 }, { onResponse })) pages.push(chat.id)
    expect(pages).toEqual(ids.toReversed())
    expect(totals).toEqual(['3', '3'])
    for (const messages of ['', ' \n']) {
      expect(await refusalOf(client.createChat({ messages }))).toMatchObject({ issues: [{ path: 'messages' }] })
    }
    const other = await clientWith()
    expect(await refusalOf(other.client.getChat({ id }))).toMatchObject({ status: 404, code: 'not_found' })
    expect(await refusalOf(other.client.deleteChat({ id }))).toMatchObject({ status: 404 })
    expect(await client.deleteChat({ id })).toBeUndefined()
    expect(await refusalOf(client.getChat({ id }))).toMatchObject({ status: 404 })
    expect(await client.getAssistantMe()).toMatchObject({
      user: { id: (await client.getMe()).id },
      ai_credits: { ai_credit_free_monthly_quota: -1, ai_credit_used_current_month: 0 },
    })
  })
})
