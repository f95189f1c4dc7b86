import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fakeClock, type FakeClock } from '../../time/fake-clock.js'
import { fakeLog } from '../../log/fake-log.js'
import { hostContract } from '../../host.contract.js'
import type { HostReport, PrinterHost } from '../../host.js'
import { until } from '../../testing.js'
import { startFakeOctoPrint, type FakeOctoPrint } from './fake-octoprint.js'
import { openOctoPrintHost } from './host.js'

describe('contract', () => {
  hostContract(async () => {
    const fake = await startFakeOctoPrint()
    return {
      clock: fakeClock(),
      open: (deps) => openOctoPrintHost({ host: 'octoprint', url: fake.url, api_key: fake.apiKey }, deps),
      startPrint: () => fake.startPrint('part.gcode'),
      finishPrint: () => fake.finishPrint(),
      until,
      close: () => fake.stop(),
    }
  })
})

describe('OctoPrint', () => {
  let fake: FakeOctoPrint
  let clock: FakeClock
  let host: PrinterHost | undefined
  let reports: HostReport[]
  let kept: unknown

  beforeEach(async () => {
    fake = await startFakeOctoPrint()
    clock = fakeClock()
    reports = []
    kept = null
  })
  afterEach(async () => {
    await host?.close()
    await fake.stop()
  })

  function open(url = fake.url): PrinterHost {
    host = openOctoPrintHost(
      { host: 'octoprint', url, api_key: fake.apiKey },
      {
        report: (report) => reports.push(report),
        memory: { load: () => kept, save: (value) => void (kept = value) },
        clock,
        log: fakeLog(),
      },
    )
    return host
  }

  const snapshot = () => reports.findLast((report) => report.type === 'snapshot')?.snapshot
  const phase = (wanted: string) => until(`the phase ${wanted}`, () => snapshot()?.phase === wanted)
  const unreachable = () => reports.flatMap((report) => (report.type === 'unreachable' ? [report] : []))

  async function printing(): Promise<PrinterHost> {
    const opened = open()
    await phase('idle')
    fake.startPrint('part.gcode')
    await phase('printing')
    fake.heat({ tool0: { actual: 200, target: 205 }, bed: { actual: 60, target: 60 } })
    await until('temperatures', () => snapshot()?.status.temperatures?.tool0?.target === 205)
    return opened
  }

  test('it asks only for what it reads', async () => {
    open()
    await phase('idle')
    await until('the subscription', () => fake.pushed.length >= 3)
    expect(fake.pushed[0]).toEqual({ auth: 'agent:s1' })
    expect(fake.pushed[1]).toMatchObject({
      subscribe: { state: { messages: false }, plugins: ['action_command_notification', 'action_command_prompt'] },
    })
    expect(fake.pushed[2]).toEqual({ throttle: 2 })
  })

  test('temperature profiles and what is known about the file are told', async () => {
    await printing()
    expect(reports).toContainEqual({ type: 'profiles', profiles: [{ name: 'PLA', extruder: 210, bed: 60 }] })
    // It is told with the next frame after the answer.
    await until('the metadata', () => {
      fake.progress(10)
      return snapshot()?.status.file_metadata?.hash === 'abc'
    })
  })

  test('temperatures stay known while frames bring none', async () => {
    await printing()
    fake.progress(11)
    await until('progress', () => snapshot()?.status.progress?.completion === 11)
    expect(snapshot()?.status.temperatures).toMatchObject({ tool0: { actual: 200, target: 205 }, bed: { target: 60 } })
  })

  test('a session that has ended is renewed, and nothing is lost', async () => {
    await printing()
    fake.expireSessions()
    await until('another login', () => JSON.stringify(fake.pushed).includes('agent:s2'))
    fake.progress(55)
    await until('progress', () => snapshot()?.status.progress?.completion === 55)
    expect(unreachable()).toEqual([])
  })

  test('a filament change, a question and an error are told, each once', async () => {
    await printing()
    const notices = () => reports.flatMap((report) => (report.type === 'notice' ? [report.notice.about] : []))
    fake.push({ event: { type: 'FilamentChange', payload: null } })
    fake.push({
      plugin: { plugin: 'action_command_prompt', data: { action: 'show', text: 'Ready?', choices: ['Yes'] } },
    })
    fake.push({ plugin: { plugin: 'action_command_prompt', data: { action: 'close' } } })
    fake.push({ event: { type: 'Error', payload: { error: 'Thermal Runaway' } } })
    fake.push({ event: { type: 'EStop', payload: {} } })
    await until('the error', () => notices().includes('error'))
    fake.progress(77)
    await until('progress', () => snapshot()?.status.progress?.completion === 77)
    expect(notices()).toEqual(['filament_change', 'question', 'error'])
  })

  test('a question is part of the status until it is answered, and only it is answered', async () => {
    const opened = await printing()
    const push = (data: object) => fake.push({ plugin: { plugin: 'action_command_prompt', data } })
    push({ action: 'show', text: 'Ready?', choices: ['Yes', 'No'] })
    await until('the question', () => snapshot()?.status.prompt?.text === 'Ready?')
    const id = snapshot()?.status.prompt?.id ?? ''
    await expect(opened.answerPrompt?.('another', 0)).rejects.toMatchObject({ code: 'rejected' })
    await expect(opened.answerPrompt?.(id, 2)).rejects.toMatchObject({ code: 'rejected' })
    await opened.answerPrompt?.(id, 1)
    expect(fake.calls).toContain('answer {"command":"select","choice":1}')
    push({ action: 'close' })
    await until('its end', () => snapshot()?.status.prompt === undefined)
  })

  test('a question that was asked before the agent came is known', async () => {
    fake.prompt = { text: 'Ready?', choices: ['Yes'] }
    await printing()
    await until('the question', () => snapshot()?.status.prompt?.choices[0] === 'Yes')
  })

  test('its files are listed with their folders, and one is printed', async () => {
    const opened = open()
    await phase('idle')
    expect(await opened.listFiles?.()).toEqual([
      { path: 'parts/cube.gcode', origin: 'local', size: 9, date: 5 },
      { path: 'card.gco', origin: 'sdcard', size: null, date: null },
    ])
    await opened.printOwn?.('parts/cube.gcode', 'local')
    await phase('printing')
    expect(fake.calls).toContain('own {"command":"select","print":true}')
  })

  test('an emergency stop is a line of G-code that goes ahead of all', async () => {
    const opened = await printing()
    await opened.emergencyStop?.()
    expect(fake.calls.at(-1)).toBe('M112')
  })

  test('what the display shows is part of the status', async () => {
    await printing()
    const push = (data: object) => fake.push({ plugin: { plugin: 'action_command_notification', data } })
    push({ message: 'Layer 7' })
    await until('the text', () => snapshot()?.status.display_status?.message === 'Layer 7')
    push({})
    await until('its end', () => snapshot()?.status.display_status?.message === null)
  })

  test('a wrong key is told as unauthorized, and tried again', async () => {
    fake.refusesKey = true
    open()
    await until('the refusal', () => unreachable().length === 1)
    expect(unreachable()[0]?.error).toMatchObject({ code: 'unauthorized' })
    fake.refusesKey = false
    clock.advance(15_000)
    await phase('idle')
  })

  test('an OctoPrint that is not there yet is waited for, with growing patience', async () => {
    const { url } = fake
    await fake.stop()
    open(url)
    for (const count of [1, 2, 3]) {
      await until('a failed try', () => unreachable().length === count)
      clock.advance(unreachable()[count - 1]?.retryInMs ?? 0)
    }
    await until('a failed try', () => unreachable().length === 4)
    expect(unreachable()[0]?.error.message).toBe(`OctoPrint at ${url} (connection refused)`)
    expect(unreachable()[3]?.retryInMs).toBeGreaterThan(unreachable()[0]?.retryInMs ?? 0)
  })

  test('a lost connection is told and comes back with the same print', async () => {
    const opened = await printing()
    fake.dropAll()
    await until('the loss', () => unreachable().length === 1)
    await expect(opened.pause({})).rejects.toMatchObject({ code: 'unreachable' })
    reports.length = 0
    clock.advance(2_000)
    await until('the connection', () => snapshot() !== undefined)
    expect(snapshot()).toMatchObject({ phase: 'printing', status: { job: { file: { path: 'part.gcode' } } } })
  })

  test('an OctoPrint that goes silent is left', async () => {
    open()
    await phase('idle')
    clock.advance(15_000)
    clock.advance(15_000)
    await until('the loss', () => unreachable().length === 1)
    expect(unreachable()[0]?.error.message).toContain('silent')
  })

  test('an error of the printer ends the print as failed, with its text', async () => {
    await printing()
    fake.breakPrint('Thermal Runaway')
    await phase('offline')
    expect(reports.flatMap((report) => (report.type === 'print' ? [report.event] : []))).toEqual(['started', 'failed'])
    await until('the text', () => snapshot()?.status.state.error === 'Thermal Runaway')
    expect(snapshot()?.status.state).toMatchObject({ text: 'Offline', flags: { closedOrError: true } })
  })

  test('it is asked again to connect while it still lets go of the connection before', async () => {
    const opened = await printing()
    fake.breakPrint('Lost communication')
    await phase('offline')
    await until('the frame', () => snapshot()?.status.state.flags.closedOrError === true)
    fake.calls.length = 0
    fake.forgetsConnects = 2
    await opened.connectPrinter?.()
    expect(fake.calls).toEqual(['connect'])
    clock.advance(3000)
    await until('the second order', () => fake.calls.length === 2)
    clock.advance(3000)
    await phase('idle')
    clock.advance(3000)
    expect(fake.calls).toEqual(['connect', 'connect', 'connect'])
  })

  test('a paused print is parked, and brought back before it goes on', async () => {
    const opened = await printing()
    fake.terminal('Send: N4 M83*20')
    await opened.pause({ retract: 6.5, lift_z: 2.5, tools_off: true, bed_off: true })
    await until('the parking', () => fake.calls.length >= 9)
    expect(fake.calls).toEqual(['pause', 'G91', 'M83', 'G1 E-6.5', 'G1 Z2.5', 'G90', 'M83', 'M104 T0 S0', 'M140 S0'])
    await until('the note', () => kept !== null)

    fake.calls.length = 0
    await opened.resume()
    expect(fake.calls).toEqual([
      'M104 T0 S205',
      'M140 S60',
      'M109 T0 S205',
      'M190 S60',
      'G91',
      'M83',
      'G1 Z-2.5',
      'G1 E6.5',
      'G90',
      'M83',
      'resume',
    ])
    expect(kept).toBeNull()
  })

  test('a pause without wishes only pauses', async () => {
    const opened = await printing()
    await opened.pause({})
    await phase('paused')
    await opened.resume()
    expect(fake.calls).toEqual(['pause', 'resume'])
  })

  test('a parked print is brought back by an agent that was started in between', async () => {
    const opened = await printing()
    await opened.pause({ lift_z: 2 })
    await until('the note', () => kept !== null)
    await opened.close()
    fake.calls.length = 0
    reports = []
    const next = open()
    await phase('paused')
    await next.resume()
    expect(fake.calls).toContain('G1 Z-2')
    expect(fake.calls.at(-1)).toBe('resume')
  })

  test('a parked print that is resumed at OctoPrint itself is brought back too', async () => {
    const opened = await printing()
    await opened.pause({ lift_z: 2 })
    await until('the note', () => kept !== null)
    fake.push({ event: { type: 'PrinterStateChanged', payload: { state_id: 'RESUMING', state_string: 'Resuming' } } })
    await until('the way back', () => fake.calls.includes('G1 Z-2'))
    await until('no note', () => kept === null)
  })

  test('a cancelled print is not brought back', async () => {
    const opened = await printing()
    await opened.pause({ lift_z: 2 })
    await until('the note', () => kept !== null)
    await opened.cancel()
    await until('no note', () => kept === null)
    expect(fake.calls.filter((call) => call === 'G1 Z-2')).toEqual([])
  })

  test.each([
    'no json',
    '[]',
    '{"current":5}',
    '{"current":{"state":null}}',
    '{"event":{"type":5}}',
    '{"event":{"type":"PrinterStateChanged","payload":{"state_id":"NEW"}}}',
    '{"history":{}}',
    '{"plugin":{"plugin":"x","data":null}}',
  ])('an odd frame changes nothing: %s', async (frame) => {
    await printing()
    const before = snapshot()?.status.state
    fake.push(JSON.parse(frame === 'no json' ? '"no json"' : frame))
    fake.progress(77)
    await until('the next frame', () => snapshot()?.status.progress?.completion === 77)
    expect(snapshot()?.status.state).toEqual(before)
  })
})
