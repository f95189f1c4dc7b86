import type { PauseArgs } from '@printwarden/protocol'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fakeClock, type FakeClock } from '../../time/fake-clock.js'
import { fakeLog, type FakeLog } from '../../log/fake-log.js'
import { hostContract } from '../../host.contract.js'
import type { HostReport, PrinterHost } from '../../host.js'
import { until } from '../../testing.js'
import { startFakeMoonraker, type FakeMoonraker } from './fake-moonraker.js'
import { openMoonrakerHost } from './host.js'

describe('contract', () => {
  hostContract(async () => {
    const fake = await startFakeMoonraker()
    return {
      clock: fakeClock(),
      open: (deps) => openMoonrakerHost({ host: 'moonraker', url: fake.url }, deps),
      startPrint: () => fake.startPrint('part.gcode'),
      finishPrint: () => fake.finishPrint(),
      until,
      close: () => fake.stop(),
    }
  })
})

describe('Moonraker', () => {
  let fake: FakeMoonraker
  let clock: FakeClock
  let log: FakeLog
  let host: PrinterHost | undefined
  let reports: HostReport[]
  let kept: unknown

  beforeEach(async () => {
    fake = await startFakeMoonraker()
    clock = fakeClock()
    log = fakeLog()
    reports = []
    kept = null
  })
  afterEach(async () => {
    await host?.close()
    await fake.stop()
  })

  function open(apiKey?: string): PrinterHost {
    host = openMoonrakerHost(
      { host: 'moonraker', url: fake.url, ...(apiKey ? { api_key: apiKey } : {}) },
      {
        report: (report) => reports.push(report),
        memory: { load: () => kept, save: (value) => void (kept = structuredClone(value)) },
        clock,
        log,
      },
    )
    return host
  }

  const snapshot = () => reports.findLast((report) => report.type === 'snapshot')?.snapshot
  const phase = (wanted: string) => until(`the phase ${wanted}`, () => snapshot()?.phase === wanted)
  const unreachable = () => reports.flatMap((report) => (report.type === 'unreachable' ? [report] : []))
  const printEvents = () => reports.flatMap((report) => (report.type === 'print' ? [report.event] : []))
  const called = (call: string) => until(call, () => fake.calls.includes(call))
  const parked = () => (kept as { parked?: unknown } | null)?.parked !== undefined

  async function printing(): Promise<PrinterHost> {
    const opened = open()
    await phase('idle')
    fake.startPrint('part.gcode')
    await phase('printing')
    fake.set({ extruder: { temperature: 200, target: 205 }, heater_bed: { temperature: 60, target: 60 } })
    return opened
  }

  async function paused(args: PauseArgs): Promise<PrinterHost> {
    const opened = await printing()
    await opened.pause(args)
    await phase('paused')
    return opened
  }

  describe('connection', () => {
    test('it says who it is, asks how Klippy is, and follows only what it reads', async () => {
      open()
      await phase('idle')
      expect(fake.calls.slice(0, 4)).toEqual([
        'server.connection.identify',
        'server.info',
        'printer.objects.list',
        'printer.objects.subscribe',
      ])
      expect(fake.paramsOf('server.connection.identify')).toMatchObject({
        client_name: 'printwarden-agent',
        type: 'other',
      })
      const { objects } = fake.paramsOf('printer.objects.subscribe') as { objects: Record<string, unknown> }
      expect(objects).toMatchObject({
        extruder: ['temperature', 'target'],
        'temperature_sensor board': ['temperature'],
      })
      expect(Object.keys(objects)).not.toContain('gcode_macro PAUSE')
    })

    test('with a key it comes in by a token for one use', async () => {
      fake.wantsKey = true
      open(fake.apiKey)
      await phase('idle')
      expect(unreachable()).toEqual([])
    })

    test.each([
      { name: 'a wrong key', key: 'wrong' },
      { name: 'no key', key: undefined },
    ])('$name is told as unauthorized, and tried again', async ({ key }) => {
      fake.wantsKey = true
      open(key)
      await until('the refusal', () => unreachable().length === 1)
      expect(unreachable()[0]?.error).toMatchObject({ code: 'unauthorized' })
      fake.wantsKey = false
      clock.advance(15_000)
      await phase('idle')
    })

    test('a Moonraker that is not there yet is waited for, with growing patience', async () => {
      await fake.stop()
      open()
      for (const count of [1, 2, 3]) {
        await until('a failed try', () => unreachable().length === count)
        clock.advance(unreachable()[count - 1]?.retryInMs ?? 0)
      }
      await until('a failed try', () => unreachable().length === 4)
      expect(unreachable()[0]?.error.message).toBe(`Moonraker at ${fake.url} (connection refused)`)
      expect(unreachable()[3]?.retryInMs).toBeGreaterThan(unreachable()[0]?.retryInMs ?? 0)
    })

    test('a lost connection is told and comes back with the same print', async () => {
      const opened = await printing()
      fake.dropAll()
      await until('the loss', () => unreachable().length === 1)
      await expect(opened.pause({})).rejects.toMatchObject({ code: 'unreachable' })
      reports.length = 0
      clock.advance(2_000)
      await phase('printing')
      expect(snapshot()?.status.job?.file.path).toBe('part.gcode')
      expect(printEvents()).toEqual([])
    })

    test('a Moonraker that goes silent is left', async () => {
      open()
      await phase('idle')
      clock.advance(15_000)
      clock.advance(15_000)
      await until('the loss', () => unreachable().length === 1)
      expect(unreachable()[0]?.error.message).toContain('silent')
    })

    test('values that change are told once a second, the last one always', async () => {
      await printing()
      const before = reports.length
      for (const speed of [0.1, 0.2, 0.3]) fake.set({ fan: { speed } })
      fake.push('{"id":999,"result":1}')
      await until('the updates to be through', () => fake.calls.includes('server.files.metadata'))
      await new Promise((resolve) => {
        setTimeout(resolve, 50)
      })
      expect(reports.slice(before).filter(({ type }) => type === 'snapshot').length).toBeLessThanOrEqual(2)
      clock.advance(1_000)
      expect(snapshot()?.status.currentFanSpeed).toBe(0.3)
    })
  })

  describe('Klippy', () => {
    test.each(['shutdown', 'error'] as const)('in %s is Offline with its reason', async (state) => {
      fake.klippy(state, `MCU 'mcu' shutdown: Timer too close\nOnce the underlying issue is corrected, ...`)
      open()
      await phase('offline')
      expect(snapshot()?.status.state).toMatchObject({
        text: 'Offline',
        error: `MCU 'mcu' shutdown: Timer too close`,
        flags: { error: true, closedOrError: true },
      })
    })

    test.each(['startup', 'disconnected'] as const)(
      'in %s right after connecting may still be found printing; only later it is down',
      async (state) => {
        fake.klippy(state)
        open()
        await until('the news', () => unreachable().length > 0)
        expect(unreachable()[0]?.error.message).toMatch(/^Klipper behind http.* \(Klipper is /)
        expect(snapshot()).toBeUndefined()
        for (let looks = 1; looks < 10; looks += 1) {
          await until('another look', () => unreachable().length === looks)
          clock.advance(2_000)
        }
        await until('the last look', () => unreachable().length === 10)
        clock.advance(2_000)
        await phase('offline')
        expect(snapshot()?.status.state).toMatchObject({
          error: expect.stringContaining('Klipper is'),
          flags: { error: false },
        })
        fake.klippy('ready')
        await phase('idle')
      },
    )

    test('that shuts down ends the print as failed, once', async () => {
      await printing()
      fake.klippy('shutdown', 'ADC out of range')
      await phase('offline')
      expect(printEvents()).toEqual(['started', 'failed'])
      fake.klippy('disconnected')
      fake.klippy('ready')
      await phase('idle')
      expect(printEvents()).toEqual(['started', 'failed'])
    })

    test('that is lost ends the print as failed; back again, it is followed anew', async () => {
      const opened = await printing()
      fake.klippy('disconnected')
      await phase('offline')
      expect(printEvents()).toEqual(['started', 'failed'])
      await expect(opened.print({ path: '/nowhere', name: 'x.gcode' })).rejects.toMatchObject({ code: 'unreachable' })
      fake.klippy('ready')
      await phase('idle')
      fake.startPrint('next.gcode')
      await phase('printing')
      expect(printEvents()).toEqual(['started', 'failed', 'started'])
    })

    test('that has shut down is brought back by a firmware restart, and only then', async () => {
      const opened = await printing()
      await opened.connectPrinter?.()
      fake.klippy('shutdown', 'ADC out of range')
      await phase('offline')
      expect(reports).toContainEqual({
        type: 'notice',
        notice: { about: 'error', title: 'Klipper has shut down', text: 'ADC out of range' },
      })
      await opened.connectPrinter?.()
      expect(fake.calls.filter((call) => call === 'printer.firmware_restart')).toHaveLength(1)
      await phase('idle')
      fake.klippy('disconnected')
      await phase('offline')
      await expect(opened.connectPrinter?.()).rejects.toMatchObject({ code: 'unreachable' })
    })

    test('restarts its firmware while it is idle, and never in a print', async () => {
      const opened = await printing()
      await expect(opened.restartFirmware?.()).rejects.toMatchObject({ code: 'rejected' })
      fake.finishPrint()
      await phase('idle')
      await opened.restartFirmware?.()
      expect(fake.calls.filter((call) => call === 'printer.firmware_restart')).toHaveLength(1)
      await phase('idle')
    })

    test('can be stopped at once', async () => {
      const opened = await printing()
      await opened.emergencyStop?.()
      expect(fake.calls).toContain('printer.emergency_stop')
      await phase('offline')
      expect(snapshot()?.status.state.error).toBe('Shutdown due to webhooks request')
    })

    test('that was restarted shows no job: the history tells how the last one ended, once', async () => {
      fake.answers['server.history.list'] = { jobs: [{ filename: 'last.gcode', status: 'completed' }] }
      open()
      await phase('idle')
      expect(snapshot()).toMatchObject({ outcome: 'done', status: { job: { file: { path: 'last.gcode' } } } })
      fake.set({ fan: { speed: 0.5 } })
      clock.advance(1_000)
      await until('the next state', () => snapshot()?.status.currentFanSpeed === 0.5 || (clock.advance(1_000), false))
      expect(snapshot()?.status.job).toBeUndefined()
    })

    test('Mainsail’s presets become profiles', async () => {
      const values = { extruder: { bool: true, type: 'heater', value: 210 }, heater_bed: { bool: false, value: 60 } }
      fake.answers['server.database.get_item'] = {
        namespace: 'mainsail',
        value: { id1: { name: 'PLA', gcode: '', values } },
      }
      open()
      await until('profiles', () => reports.some(({ type }) => type === 'profiles'))
      expect(reports).toContainEqual({ type: 'profiles', profiles: [{ name: 'PLA', extruder: 210 }] })
    })
  })

  describe('commands', () => {
    test('a pause during a long G-code is shown at once and accepted after a while', async () => {
      const opened = await printing()
      fake.isBusy = true
      const pause = opened.pause({})
      await phase('pausing')
      await called('printer.print.pause')
      clock.advance(1_500)
      await pause
      expect(snapshot()?.phase).toBe('pausing')
      fake.finishGCode()
      await phase('paused')
    })

    test('a pause that Klipper refuses is refused, and the print goes on', async () => {
      const opened = await printing()
      fake.failNext('Unknown command: PAUSE')
      await expect(opened.pause({})).rejects.toMatchObject({ code: 'rejected', message: 'Unknown command: PAUSE' })
      expect(snapshot()?.phase).toBe('printing')
    })

    test('a command that did nothing is not shown for ever', async () => {
      const opened = await printing()
      fake.isBusy = true
      const cancel = opened.cancel()
      await phase('cancelling')
      await called('printer.print.cancel')
      clock.advance(1_500)
      await cancel
      fake.dropAll()
      await until('the loss', () => unreachable().length === 1)
      clock.advance(2_000)
      await phase('printing')
    })

    test('cancelling lasts as long as the macro', async () => {
      const opened = await printing()
      fake.isBusy = true
      const cancel = opened.cancel()
      await called('printer.print.cancel')
      fake.set({ print_stats: { state: 'cancelled' } })
      await until('the event', () => printEvents().includes('cancelled'))
      expect(snapshot()?.phase).toBe('cancelling')
      fake.finishGCode()
      await cancel
      await phase('idle')
    })

    test('a print that is being cancelled takes no pause, and no second cancel', async () => {
      const opened = await printing()
      fake.isBusy = true
      const cancel = opened.cancel()
      await called('printer.print.cancel')
      clock.advance(1_500)
      await cancel
      await expect(opened.pause({})).rejects.toMatchObject({ code: 'not_printing' })
      await opened.cancel()
      fake.finishGCode()
      await phase('idle')
      expect(fake.calls).not.toContain('printer.print.pause')
      expect(fake.calls.filter((call) => call === 'printer.print.cancel')).toHaveLength(1)
    })

    test('a print that was paused without PAUSE is resumed by M24', async () => {
      const opened = await printing()
      fake.set({ print_stats: { state: 'paused' } })
      await phase('paused')
      await opened.resume()
      expect(fake.calls).toContain('M24')
      expect(fake.calls).not.toContain('printer.print.resume')
      await phase('printing')
    })

    test('a file is stored under a name that Klipper can print, and started', async () => {
      const opened = open()
      await phase('idle')
      const path = await opened.print({ path: import.meta.filename, name: 'a/b "c"; #1*.gcode' })
      expect(path).toBe('a_b _c__ _1_.gcode')
      expect(fake.paramsOf('printer.print.start')).toEqual({ filename: path })
    })

    test('a file that does not start is told with Klipper’s reason', async () => {
      const opened = open()
      await phase('idle')
      fake.failNext('Unable to open file')
      await expect(opened.print({ path: import.meta.filename, name: 'x.gcode' })).rejects.toMatchObject({
        code: 'rejected',
        message: 'Unable to open file',
      })
    })
  })

  describe('parking', () => {
    const scripts = () => fake.calls.filter((call) => /^[A-Z]/.test(call))

    test('a paused print is parked, and brought back before it goes on', async () => {
      const opened = await paused({ retract: 6.5, lift_z: 2.5, tools_off: true, bed_off: true })
      await until('the parking', () => scripts().length >= 8)
      expect(scripts()).toEqual([
        'SAVE_GCODE_STATE NAME=printwarden_park',
        'G91',
        'M83',
        'G1 E-6.5 F1800',
        'G1 Z2.5 F600',
        'RESTORE_GCODE_STATE NAME=printwarden_park',
        'SET_HEATER_TEMPERATURE HEATER=extruder TARGET=0',
        'SET_HEATER_TEMPERATURE HEATER=heater_bed TARGET=0',
      ])
      expect(parked()).toBe(true)
      fake.set({ extruder: { temperature: 120 }, heater_bed: { temperature: 40 } })
      fake.calls.length = 0

      const resume = opened.resume()
      await phase('resuming')
      await until('the heaters', () => scripts().length >= 2)
      expect(scripts()).toEqual([
        'SET_HEATER_TEMPERATURE HEATER=extruder TARGET=205',
        'SET_HEATER_TEMPERATURE HEATER=heater_bed TARGET=60',
      ])
      fake.set({ extruder: { temperature: 204 } })
      fake.set({ heater_bed: { temperature: 58.5 } })
      await resume
      expect(scripts().slice(2)).toEqual([
        'SAVE_GCODE_STATE NAME=printwarden_park',
        'G91',
        'M83',
        'G1 E6.5 F1800',
        'RESTORE_GCODE_STATE NAME=printwarden_park',
      ])
      expect(fake.calls.at(-1)).toBe('printer.print.resume')
      await phase('printing')
      expect(parked()).toBe(false)
    })

    test('a pause without wishes only pauses', async () => {
      const opened = await paused({})
      await opened.resume()
      await phase('printing')
      expect(scripts()).toEqual([])
    })

    test('while it heats up again, it can still be cancelled', async () => {
      const opened = await paused({ tools_off: true })
      await until('the parking', parked)
      fake.set({ extruder: { temperature: 30 } })
      const resume = opened.resume()
      const refused = expect(resume).rejects.toMatchObject({ code: 'rejected' })
      await called('SET_HEATER_TEMPERATURE HEATER=extruder TARGET=205')
      await opened.cancel()
      await refused
      await phase('idle')
      expect(fake.calls).not.toContain('printer.print.resume')
      expect(parked()).toBe(false)
    })

    test('while it heats up again, a pause lets it stay paused, and cools it down', async () => {
      const opened = await paused({ retract: 2, tools_off: true })
      await until('the parking', parked)
      fake.set({ extruder: { temperature: 30 } })
      const refused = expect(opened.resume()).rejects.toMatchObject({ code: 'rejected' })
      await called('SET_HEATER_TEMPERATURE HEATER=extruder TARGET=205')
      fake.calls.length = 0
      await opened.pause({})
      await refused
      expect(snapshot()?.phase).toBe('paused')
      await until('the cooling', () => scripts().length > 0)
      expect(fake.calls).toEqual(['SET_HEATER_TEMPERATURE HEATER=extruder TARGET=0'])
      expect(parked()).toBe(true)

      const resume = opened.resume()
      await called('SET_HEATER_TEMPERATURE HEATER=extruder TARGET=205')
      fake.set({ extruder: { temperature: 205 } })
      await resume
      expect(fake.calls).toContain('G1 E2 F1800')
      await phase('printing')
    })

    test('a pause behind a resume that Klipper already has is handed on', async () => {
      const opened = await paused({})
      fake.isBusy = true
      const resume = opened.resume()
      await called('printer.print.resume')
      fake.calls.length = 0
      const pause = opened.pause({})
      await called('printer.print.pause')
      fake.finishGCode()
      await Promise.all([resume, pause])
      await phase('paused')
    })

    test.each([
      { name: 'the same print gets its heat back', filename: 'part.gcode', heated: true },
      { name: 'another print is left as it is', filename: 'other.gcode', heated: false },
    ])('that goes on while no agent looks: $name', async ({ filename, heated }) => {
      const opened = await paused({ tools_off: true })
      await until('the parking', parked)
      await opened.close()
      fake.set({ print_stats: { state: 'printing', filename }, pause_resume: { is_paused: false } })
      fake.calls.length = 0
      reports = []
      open()
      await phase('printing')
      await called('server.files.metadata')
      expect(fake.calls.includes('SET_HEATER_TEMPERATURE HEATER=extruder TARGET=205')).toBe(heated)
      expect(parked()).toBe(false)
    })

    test('a parked print is brought back by an agent that was started in between', async () => {
      const opened = await paused({ retract: 2 })
      await until('the parking', parked)
      await opened.close()
      fake.calls.length = 0
      reports = []
      const next = open()
      await phase('paused')
      await next.resume()
      expect(fake.calls).toContain('G1 E2 F1800')
      expect(fake.calls.at(-1)).toBe('printer.print.resume')
    })

    test('a parked print that is resumed at the printer gets its heat back', async () => {
      await paused({ tools_off: true })
      await until('the parking', parked)
      await called('SET_HEATER_TEMPERATURE HEATER=extruder TARGET=0')
      fake.set({ print_stats: { state: 'printing' }, pause_resume: { is_paused: false } })
      await called('SET_HEATER_TEMPERATURE HEATER=extruder TARGET=205')
      expect(parked()).toBe(false)
      expect(log.texts('warn')).toEqual(['a parked print was resumed elsewhere, without undoing the parking'])
    })
  })

  const OBJECTS = { objects: [{ name: 'CUBE' }, { name: 'A B' }, { name: 'x" M112' }], excluded_objects: [] }

  test('objects are told while they are printed, and left out by their names', async () => {
    fake.set({ exclude_object: OBJECTS })
    const opened = await printing()
    await until('the objects', () => snapshot()?.status.objects?.length === 3)
    expect(snapshot()?.status.objects?.[0]).toEqual({ name: 'CUBE', excluded: false })
    await opened.excludeObject?.('A B')
    expect(fake.calls).toContain('EXCLUDE_OBJECT NAME="A B"')
    for (const name of ['CYLINDER', 'x" M112']) {
      await expect(opened.excludeObject?.(name)).rejects.toMatchObject({ code: 'rejected' })
    }
    fake.set({ exclude_object: { excluded_objects: ['CUBE'] } })
    await until(
      'the end of the cube',
      () => snapshot()?.status.objects?.[0]?.excluded === true || (clock.advance(1_000), false),
    )
    const calls = fake.calls.length
    await opened.excludeObject?.('CUBE')
    expect(fake.calls).toHaveLength(calls)
    fake.finishPrint()
    await phase('idle')
    expect(snapshot()?.status.objects).toBeUndefined()
    await expect(opened.excludeObject?.('A B')).rejects.toMatchObject({ code: 'not_printing' })
  })

  test('a dialog of a macro is told, and answered by its G-code', async () => {
    const opened = await printing()
    const respond = (line: string) =>
      fake.push(JSON.stringify({ jsonrpc: '2.0', method: 'notify_gcode_response', params: [line] }))
    respond('// action:prompt_begin Which?')
    respond('// action:prompt_button PLA|LOAD T=pla|primary')
    respond('// action:prompt_show')
    await until('the dialog', () => snapshot()?.status.prompt?.text === 'Which?')
    const id = snapshot()?.status.prompt?.id ?? ''
    await expect(opened.answerPrompt?.(id, 2)).rejects.toMatchObject({ code: 'rejected' })
    await opened.answerPrompt?.(id, 0)
    expect(fake.calls.at(-1)).toBe('LOAD T=pla')
    respond('// action:prompt_end')
    await until('its end', () => snapshot()?.status.prompt === undefined)
    await expect(opened.answerPrompt?.(id, 0)).rejects.toMatchObject({ code: 'rejected' })
  })

  test('its files are listed, and one is printed', async () => {
    fake.answers['server.files.list'] = [{ path: 'a/b.gcode', modified: 1000.5, size: 10, permissions: 'rw' }]
    const opened = open()
    await phase('idle')
    expect(await opened.listFiles?.()).toEqual([{ path: 'a/b.gcode', origin: 'local', size: 10, date: 1000.5 }])
    await opened.printOwn?.('a/b.gcode', 'local')
    await phase('printing')
    expect(fake.paramsOf('printer.print.start')).toEqual({ filename: 'a/b.gcode' })
  })

  test.each([
    'no json',
    '[]',
    '{"jsonrpc":"2.0","method":"notify_status_update"}',
    '{"jsonrpc":"2.0","method":"notify_status_update","params":[5]}',
    '{"jsonrpc":"2.0","method":"notify_status_update","params":[{"print_stats":5}]}',
    '{"jsonrpc":"2.0","method":"notify_status_update","params":[{"fan":{"speed":"fast"},"gcode_move":{"gcode_position":null}}]}',
    '{"jsonrpc":"2.0","method":"notify_new_thing","params":[{}]}',
    '{"id":"x","result":null}',
  ])('an odd message changes nothing: %s', async (text) => {
    await printing()
    const before = snapshot()?.status.state
    fake.push(text)
    fake.set({ gcode_move: { gcode_position: [1, 2, 7.7, 0] }, print_stats: { state: 'paused' } })
    await phase('paused')
    expect(snapshot()?.status).toMatchObject({ currentZ: 7.7, job: { file: { path: 'part.gcode' } } })
    expect(before?.text).toBe('Printing')
  })
})
