import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fakeLog, type FakeLog } from '../../log/fake-log.js'
import { hostContract } from '../../host.contract.js'
import type { HostDeps, HostReport, PrinterHost } from '../../host.js'
import { hostConfig, type SerialConfig } from '../../hosts.js'
import type { Clock } from '../../time/clock.js'
import { fakeClock } from '../../time/fake-clock.js'
import { systemClock } from '../../time/system-clock.js'
import { until } from '../../testing.js'
import { startFakeMarlin, type FakeMarlin } from './fake-marlin.js'
import { openSerialHost } from './host.js'

const folder = mkdtempSync(join(tmpdir(), 'printwarden-serial-'))
afterAll(() => rmSync(folder, { recursive: true }))

function configOf(values: Record<string, string> = {}): SerialConfig {
  return hostConfig.parse({ host: 'serial', device: '/dev/ttyFAKE', ...values }) as SerialConfig
}

function gCodeFile(name: string, lines: readonly string[]): { path: string; name: string } {
  const path = join(folder, name)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return { path, name }
}

const LONG = gCodeFile('part.gcode', [
  'G90',
  'G28',
  ...Array.from({ length: 1_500 }, (_, index) => `G1 X${index % 100} Y5 E${index} ; a move`),
])

describe('contract, as the printing host', () => {
  hostContract(async () => {
    const fake = startFakeMarlin()
    fake.lineMs = 4
    let host: PrinterHost | undefined
    return {
      clock: systemClock,
      open: (deps) => (host = openSerialHost(configOf(), deps, fake.openLink)),
      // After close, nobody is there to start it.
      startPrint: async () => void (await host?.print(LONG).catch(() => undefined)),
      finishPrint: () => void (fake.lineMs = 0),
      until: (what, check) => until(what, check, 20_000),
      close: async () => fake.stop(),
    }
  })
})

describe('contract, watching a printer that prints from its card', () => {
  hostContract(async () => {
    const fake = startFakeMarlin()
    return {
      clock: systemClock,
      takesFiles: false,
      open: (deps) => openSerialHost(configOf({ prints_from: 'printer' }), deps, fake.openLink),
      startPrint: () => fake.startSd('part.gcode'),
      finishPrint: () => fake.finishSd(),
      until,
      close: async () => fake.stop(),
    }
  })
})

test.each([
  [{}, { baud: 115_200, prints_from: 'agent' }],
  [
    { baud: '250000', prints_from: 'printer' },
    { baud: 250_000, prints_from: 'printer' },
  ],
])('the configuration %j', (values, config) => {
  expect(configOf(values)).toMatchObject(config)
})

test.each([
  [{ device: 'ttyUSB0' }, 'device'],
  [{ device: '/dev/tty; rm' }, 'device'],
  [{ baud: 'fast' }, 'baud'],
  [{ prints_from: 'octoprint' }, 'prints_from'],
])('%j is refused', (values, key) => {
  const result = hostConfig.safeParse({ host: 'serial', device: '/dev/ttyUSB0', ...values })
  expect(result.error?.issues.map(({ path }) => path[0])).toEqual([key])
})

describe('serial', () => {
  let fake: FakeMarlin
  let host: PrinterHost
  let reports: HostReport[]
  let log: FakeLog
  let kept: unknown

  beforeEach(() => {
    fake = startFakeMarlin()
    fake.lineMs = 2
    reports = []
    kept = null
    log = fakeLog()
  })
  afterEach(async () => {
    await host.close()
    fake.stop()
  })

  function open(values: Record<string, string> = {}, clock: Clock = systemClock): PrinterHost {
    const memory = { load: () => kept, save: (value: unknown) => void (kept = value) }
    const deps: HostDeps = { report: (report) => reports.push(report), memory, clock, log }
    host = openSerialHost(configOf(values), deps, fake.openLink)
    return host
  }

  const snapshot = () => reports.findLast((report) => report.type === 'snapshot')?.snapshot
  const phase = (wanted: string) => until(`the phase ${wanted}`, () => snapshot()?.phase === wanted)
  const events = () => reports.flatMap((report) => (report.type === 'print' ? [report.event] : []))
  const unreachable = () => reports.flatMap((report) => (report.type === 'unreachable' ? [report.error.message] : []))

  async function printing(lines?: readonly string[]): Promise<void> {
    open()
    await phase('idle')
    await host.print(lines ? gCodeFile('small.gcode', lines) : LONG)
    await phase('printing')
  }

  test('every line goes out with its number and checksum, comments stay behind', async () => {
    await printing(['; made by hand', 'G28 ; home', '', '   G1 X10 ;LAYER:0', 'N7 G1 X20*33'])
    await phase('idle')
    expect(fake.commands.filter((command) => command.startsWith('G'))).toEqual(['G28', 'G1 X10', 'G1 X20'])
    expect(fake.received.every((line) => /^N\d+ .*\*\d+$/.test(line))).toBe(true)
    expect(snapshot()).toMatchObject({ outcome: 'done', status: { progress: { completion: 100 } } })
  })

  test('a noisy line changes nothing but the count of lines sent again', async () => {
    await printing(Array.from({ length: 60 }, (_, index) => `G1 X${index}`))
    fake.damage(5)
    await phase('idle')
    const moves = fake.commands.filter((command) => command.startsWith('G1'))
    expect(moves).toEqual(Array.from({ length: 60 }, (_, index) => `G1 X${index}`))
    expect(snapshot()?.status.resends?.count).toBeGreaterThanOrEqual(5)
    expect(events()).toEqual(['started', 'done'])
  })

  test('pause parks, resume heats first and brings back place, modes and feed rate', async () => {
    await printing(['G90', 'M83', 'G28', ...Array.from({ length: 900 }, () => 'G1 X10 Y20 Z0.3 E0.1 F3000')])
    await until('a move', () => fake.commands.includes('G1 X10 Y20 Z0.3 E0.1 F3000'))
    fake.say('T:205.00 /205.00 B:60.00 /60.00')
    // Heaters are asked for again at the pause; the fake's are cold then, so only the moves are left to undo.
    await host.pause({ retract: 2, lift_z: 5, tools_off: true })
    await phase('paused')
    const parked = fake.commands.slice(fake.commands.indexOf('M400'))
    expect(parked.filter((command) => command !== 'M105')).toEqual(['M400', 'G91', 'M83', 'G1 E-2 F1800', 'G1 Z5 F600'])
    fake.commands.length = 0
    await host.resume()
    await phase('printing')
    await until('the print to go on', () => fake.commands.includes('G1 X10 Y20 Z0.3 E0.1 F3000'))
    expect(fake.commands.filter((command) => command !== 'M105').slice(0, 8)).toEqual([
      'G90',
      'G1 X10 Y20 F6000',
      'G1 Z0.3 F600',
      'M83',
      'G1 E2 F1800',
      'G90',
      'M83',
      'G1 F3000',
    ])
  })

  test('cancel turns off what was on', async () => {
    await printing()
    await host.cancel()
    await phase('idle')
    expect(fake.commands.slice(-5)).toEqual(['M104 S0', 'M140 S0', 'M107', 'M84', 'M105'])
    expect(kept).toBeNull()
  })

  test('cancel breaks a wait for temperature by M108', async () => {
    fake.silentOn = /M109/
    await printing(['M109 S200', 'G28'])
    await until('the wait', () => fake.received.some((line) => line.includes('M109')))
    await host.cancel()
    expect(fake.received).toContain('M108')
    fake.say('ok')
    await phase('idle')
    expect(events()).toEqual(['started', 'cancelled'])
  })

  test('a cable that is pulled fails the print; it is found again, and cooled down', async () => {
    await printing()
    fake.unplug()
    expect(events()).toEqual(['started', 'failed'])
    expect(unreachable()).toEqual(['the printer at /dev/ttyFAKE (unplugged or switched off)'])
    fake.commands.length = 0
    fake.isPluggedIn = true
    await phase('idle')
    expect(snapshot()).toMatchObject({ outcome: 'failed' })
    await until('cooling down', () => fake.commands.includes('M104 S0') && fake.commands.includes('M140 S0'))
    expect(kept).toBeNull()
  })

  test('an agent that was killed in a print turns the heaters off when it is back', async () => {
    kept = { printing: 'lost.gcode' }
    open()
    await phase('idle')
    await until('cooling down', () => fake.commands.includes('M104 S0'))
  })

  test('a printer that is reset in a print has failed it', async () => {
    await printing()
    fake.reset()
    await phase('idle')
    expect(events()).toEqual(['started', 'failed'])
    expect(log.texts('warn')).toContain('the printer was reset')
  })

  test('a fault of the firmware fails the print and is told in its own words', async () => {
    await printing()
    fake.say('Error:Thermal Runaway, system stopped! Heater_ID: bed', 'Error:Printer halted. kill() called!')
    expect(events()).toEqual(['started', 'failed'])
    expect(unreachable()[0]).toContain('Thermal Runaway')
    const told = reports.flatMap((report) => (report.type === 'snapshot' ? [report.snapshot.status.state.error] : []))
    expect(told).toContain('Thermal Runaway, system stopped! Heater_ID: bed')
  })

  test.each(['pause', 'out_of_filament T0'])('the action %s pauses', async (action) => {
    await printing()
    fake.say(`//action:${action}`)
    await phase('paused')
    fake.say('// action:resume')
    await phase('printing')
    fake.say('//action:cancel')
    await phase('idle')
    expect(events()).toEqual(['started', 'paused', 'resumed', 'cancelled'])
  })

  test('a filament change in the file pauses until somebody has answered', async () => {
    fake.silentOn = /M600/
    await printing(['G28', 'M600', 'G1 X1'])
    await until('the change', () => fake.received.some((line) => line.includes('M600')))
    fake.say('//action:paused', '//action:prompt_begin Nozzle', '//action:prompt_button Purge')
    fake.say('//action:prompt_button Continue', '//action:prompt_show', 'echo:busy: paused for user')
    await phase('paused')
    expect(log.texts('warn')).toContain('the printer asks somebody')
    await host.resume()
    expect(fake.received.slice(-2)).toEqual(['M876 S1', 'M108'])
    fake.say('ok')
    await phase('idle')
    expect(events()).toEqual(['started', 'paused', 'resumed', 'done'])
  })

  test('an emergency stop overtakes everything', async () => {
    fake.silentOn = /G28/
    await printing(['G28', 'G1 X1'])
    await until('homing', () => fake.received.some((line) => line.includes('G28')))
    await host.emergencyStop?.()
    expect(fake.received.at(-1)).toBe('M112')
    expect(events()).toEqual(['started', 'failed'])
  })

  test('a printer that was stopped is brought back by its reset, and not by waiting', async () => {
    open()
    await phase('idle')
    await host.emergencyStop?.()
    await until('the end of the connection', () => unreachable().length > 0)
    const told = reports.length
    await host.connectPrinter?.()
    await until('the printer', () =>
      reports.slice(told).some((r) => r.type === 'snapshot' && r.snapshot.phase === 'idle'),
    )
    expect(fake.isHalted).toBe(false)
  })

  test('a question of the firmware is told, and answered past the queue, once', async () => {
    open()
    await phase('idle')
    fake.say('//action:prompt_begin Runout', '//action:prompt_button Purge', '//action:prompt_button Continue')
    expect(snapshot()?.status.prompt).toBeUndefined()
    fake.say('//action:prompt_show')
    const prompt = snapshot()?.status.prompt
    expect(prompt).toMatchObject({ text: 'Runout', choices: ['Purge', 'Continue'] })
    expect(reports).toContainEqual({
      type: 'notice',
      notice: { about: 'question', title: 'The printer asks', text: 'Runout (Purge / Continue)' },
    })
    await expect(host.answerPrompt?.('another', 0)).rejects.toMatchObject({ code: 'rejected' })
    await expect(host.answerPrompt?.(prompt?.id ?? '', 2)).rejects.toMatchObject({ code: 'rejected' })
    await host.answerPrompt?.(prompt?.id ?? '', 1)
    expect(fake.received.at(-1)).toBe('M876 S1')
    expect(snapshot()?.status.prompt).toBeUndefined()
    await expect(host.answerPrompt?.(prompt?.id ?? '', 1)).rejects.toMatchObject({ code: 'rejected' })
  })

  test('a device that is not there is told with what is', async () => {
    fake.isPluggedIn = false
    open()
    await until('a word', () => unreachable().length > 0)
    expect(unreachable()[0]).toMatch(
      /^the printer at \/dev\/ttyFAKE \(no such device(; there (is|are) |, and no other)/,
    )
  })

  test('a file that is no text is refused', async () => {
    open()
    await phase('idle')
    const file = gCodeFile('binary.gcode', ['GCDE\0\0binary'])
    await expect(host.print(file)).rejects.toMatchObject({ code: 'rejected' })
    expect(snapshot()?.phase).toBe('idle')
  })

  test('a printer without reports of its own is asked', async () => {
    fake.capabilities = 'EMERGENCY_PARSER'
    open()
    await phase('idle')
    await until('temperatures', () => snapshot()?.status.temperatures?.tool0?.actual === 21.3)
    const asked = () => fake.commands.filter((command) => command === 'M105').length
    await until('another question', () => asked() >= 2)
  })

  test('a firmware that reports nothing by itself is watched by asking', async () => {
    fake.capabilities = 'EMERGENCY_PARSER'
    open({ prints_from: 'printer' })
    await phase('idle')
    fake.startSd('asked.gcode')
    await phase('printing')
    expect(fake.commands).not.toContain('M27 S2')
    await until('the height', () => snapshot()?.status.currentZ === 0.4)
    fake.finishSd()
    await phase('idle')
    expect(events()).toEqual(['started', 'done'])
  })

  test('a print from the card is paused with its heaters off, which are on again before it goes on', async () => {
    open({ prints_from: 'printer' })
    await phase('idle')
    fake.startSd('part.gcode')
    await phase('printing')
    fake.temperatures = 'T:205.00 /205.00 B:60.00 /60.00 @:0 B@:0'
    await host.pause({ retract: 2, lift_z: 5, tools_off: true, bed_off: true })
    await phase('paused')
    await until('cold heaters', () => fake.commands.includes('M140 S0'))
    const sent = (from: string): string[] =>
      fake.commands.slice(fake.commands.indexOf(from)).filter((command) => !/^M(105|27|114)/.test(command))
    // How the file means its moves only the printer knows: none is made for it.
    expect(sent('M25')).toEqual(['M25', 'M400', 'M104 T0 S0', 'M140 S0'])
    await host.resume()
    await phase('printing')
    expect(sent('M104 T0 S205')).toEqual(['M104 T0 S205', 'M140 S60', 'M109 T0 S205', 'M190 S60', 'M24'])
    expect(events()).toEqual(['started', 'paused', 'resumed'])
  })

  test('while a print from the card heats, a pause waits and a cancel does not', async () => {
    open({ prints_from: 'printer' })
    await phase('idle')
    fake.startSd('part.gcode')
    await phase('printing')
    fake.silentOn = /^M25/
    await host.pause({})
    await phase('pausing')
    await until('the pause to be sent', () => fake.received.some((line) => line.includes('M25')))
    await host.cancel()
    expect(fake.received.at(-1)).toBe('M108')
    fake.say('ok')
    await phase('idle')
    expect(fake.commands).toContain('M524')
    expect(events()).toEqual(['started', 'cancelled'])
  })

  test('a firmware without M524 is cancelled the old way', async () => {
    fake.hasCancel = false
    open({ prints_from: 'printer' })
    await phase('idle')
    fake.startSd('old.gcode')
    await phase('printing')
    await host.cancel()
    await phase('idle')
    expect(fake.commands).toEqual(expect.arrayContaining(['M524', 'M25', 'M26 S0', 'M104 S0']))
    expect(events()).toEqual(['started', 'cancelled'])
  })

  test('a print from the card that ran before we looked is no new one', async () => {
    fake.startSd('before.gcode')
    open({ prints_from: 'printer' })
    await phase('printing')
    expect(events()).toEqual([])
    await host.cancel()
    await phase('idle')
    expect(fake.commands).toContain('M524')
    expect(events()).toEqual(['cancelled'])
  })

  test('the files of the card are listed by the names that open them, and one is printed', async () => {
    open({ prints_from: 'printer' })
    await phase('idle')
    expect(await host.listFiles?.()).toEqual([
      { path: 'CUBE~1.GCO', origin: 'sdcard', size: 1000, date: null },
      { path: 'BIN/BOAT.GCO', origin: 'sdcard', size: 2000, date: null },
    ])
    await host.printOwn?.('BIN/BOAT.GCO', 'sdcard')
    await phase('printing')
    expect(fake.commands).toEqual(expect.arrayContaining(['M23 BIN/BOAT.GCO', 'M24']))
    expect(events()).toEqual(['started'])
    await expect(host.printOwn?.('CUBE~1.GCO', 'sdcard')).rejects.toMatchObject({ code: 'rejected' })
  })

  test('a file of the card that heats up first is started at once, and can be cancelled', async () => {
    open({ prints_from: 'printer' })
    await phase('idle')
    fake.silentOn = /^M27$/
    await host.printOwn?.('BIN/BOAT.GCO', 'sdcard')
    await phase('printing')
    await host.cancel()
    expect(fake.received.at(-1)).toBe('M108')
    fake.silentOn = undefined
    fake.say('ok')
    await phase('idle')
    expect(events()).toEqual(['started', 'cancelled'])
  })

  test('a printer that is busy lists no files, and lists them once when it has time again', async () => {
    const clock = fakeClock()
    open({ prints_from: 'printer' }, clock)
    await phase('idle')
    fake.silentOn = /^M20/
    const refused = expect(host.listFiles?.()).rejects.toMatchObject({
      code: 'rejected',
      message: 'the printer is busy',
    })
    clock.advance(10_000)
    await refused
    const listed = host.listFiles?.()
    fake.say('Begin file list', 'CUBE~1.GCO 1000', 'End file list', 'ok')
    expect(await listed).toHaveLength(1)
    expect(fake.commands.filter((command) => command === 'M20')).toHaveLength(1)
  })

  test('no file is opened by a name with a blank in it', async () => {
    open({ prints_from: 'printer' })
    await phase('idle')
    await expect(host.printOwn?.('a M112', 'sdcard')).rejects.toMatchObject({ code: 'rejected' })
    expect(fake.commands.join('\n')).not.toContain('M112')
  })
})
