import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient } from '@printwarden/sdk'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { Program, ServerProgram } from '../support/processes.js'
import { runServerCommand, startAgent, startServer, temporaryFolder, until } from '../support/processes.js'
import type { MarlinProgram } from './marlin-program.js'
import { startMarlin } from './marlin-program.js'
import { dwellGCode } from './octoprint-program.js'

// The whole product on serial lines: two simulated Marlin printers, one that the agent prints on and one that prints from its card,
// our agent and our server as processes, everything checked through the SDK as an app would.

interface Printer {
  readonly id: number
  readonly marlin: MarlinProgram
}

let folder: { path: string; remove: () => Promise<void> }
let server: ServerProgram
let agent: Program
let client: Client
let driven: Printer
let watched: Printer

beforeAll(async () => {
  folder = await temporaryFolder()
  server = await startServer({ dataDir: join(folder.path, 'data') })
  const issue = ['token', 'issue', '--user', 'admin@example.test', '--scope', 'read write', '--json']
  const issued: unknown = JSON.parse(await runServerCommand(server.url, issue))
  if (typeof issued !== 'object' || issued === null || !('access_token' in issued)) throw new Error('no token')
  client = createClient({ baseUrl: server.url, token: String(issued.access_token) })
  const sections: string[] = []
  const add = async (name: string, printsFrom: string): Promise<Printer> => {
    await mkdir(join(folder.path, name))
    const marlin = await startMarlin(join(folder.path, name), ['capabilities.AUTOREPORT_POS=true'])
    const printer = await client.createPrinter({ name })
    sections.push(`[printer ${name}]
auth_token: ${printer.auth_token}
host: serial
device: ${marlin.device}
baud: 250000
prints_from: ${printsFrom}
`)
    return { id: printer.id, marlin }
  }
  driven = await add('driven', 'agent')
  watched = await add('watched', 'printer')
  const config = join(folder.path, 'printwarden-agent.cfg')
  await writeFile(config, `[server]\nurl: ${server.url}\n\n${sections.join('\n')}`)
  agent = startAgent(config)
})

afterAll(async () => {
  await agent?.stop()
  await driven?.marlin.stop()
  await watched?.marlin.stop()
  await server?.stop()
  await folder?.remove()
})

afterEach((context) => {
  if (context.task.result?.state !== 'fail') return
  console.log('server:\n', server?.output().slice(-3000), '\nagent:\n', agent?.output().slice(-6000))
})

const statusOf = async ({ id }: Printer) => (await client.getPrinter({ id })).status

/** How often the printer has asked for a line again. */
async function resendsOf(printer: Printer): Promise<number> {
  const { resends } = z.looseObject({ resends: z.object({ count: z.number() }) }).parse(await statusOf(printer))
  return resends.count
}

const untilState = (printer: Printer, text: string, timeoutMs = 60_000): Promise<boolean> =>
  until(`the state ${text}`, async () => (await statusOf(printer))?.state.text === text, timeoutMs, 200)

/** Has the agent print a file, and waits until the server knows the print. */
async function print(name: string, gCode: string): Promise<number> {
  await untilState(driven, 'Operational')
  const file = await client.uploadGCodeFile({ filename: name, file: new Blob([gCode]) })
  const sent = await client.printGCodeFile({ id: file.id, printer_id: driven.id })
  expect(sent.succeeded).toBe(true)
  return currentPrint(driven)
}

const currentPrint = ({ id }: Printer): Promise<number> =>
  until('the print', async () => (await client.getPrinter({ id })).current_print?.id, 60_000, 200)

const ended = (id: number) =>
  until(
    'the end of the print',
    async () => {
      const one = await client.getPrint({ id })
      return one.ended_at === null ? undefined : one
    },
    120_000,
    300,
  )

const eventsOf = async (id: number): Promise<string[]> =>
  (await client.listPrinterEvents({ print_id: id })).map((event) => event.event_type).toReversed()

test('a file is streamed to its end, with progress, layers and temperatures', async () => {
  const id = await print('streamed.gcode', dwellGCode(15))
  const printing = await until(
    'the print to be on its way',
    async () => {
      const status = await statusOf(driven)
      return (status?.progress?.completion ?? 0) > 40 && status?.state.text === 'Printing' ? status : undefined
    },
    60_000,
    200,
  )
  expect(printing.currentZ).toBeGreaterThanOrEqual(0.2)
  expect(printing.currentLayerHeight).toBeGreaterThanOrEqual(1)
  expect(printing.temperatures).toMatchObject({ tool0: { target: 60 }, bed: { target: 40 } })
  expect(printing.temperatures?.tool0?.actual).toBeGreaterThan(40)
  const { finished_at, cancelled_at } = await ended(id)
  expect(finished_at).not.toBeNull()
  expect(cancelled_at).toBeNull()
  expect(await eventsOf(id)).toEqual(['STARTED', 'ENDED'])
})

test('pause cools down as it is told, resume heats up first, cancel turns everything off', async () => {
  const id = await print('paused.gcode', dwellGCode(60))
  await until('the heat', async () => ((await statusOf(driven))?.temperatures?.tool0?.actual ?? 0) > 55, 60_000, 200)
  await client.updatePrinter({ id: driven.id, retract_on_pause: 1, lift_z_on_pause: 2, tools_off_on_pause: true })
  expect((await client.pausePrint({ id: driven.id })).succeeded).toBe(true)
  await untilState(driven, 'Paused')
  await until('the tool to cool', async () => {
    const tool = (await statusOf(driven))?.temperatures?.tool0
    return tool?.target === 0 && (tool.actual ?? 100) < 50
  })
  expect((await client.resumePrint({ id: driven.id })).succeeded).toBe(true)
  const resumed = await until('the print to go on', async () => {
    const status = await statusOf(driven)
    return status?.state.flags.printing && !status.state.flags.resuming ? status : undefined
  })
  expect(resumed.temperatures?.tool0?.actual).toBeGreaterThan(55)
  expect((await client.cancelPrint({ id: driven.id })).succeeded).toBe(true)
  const { finished_at, cancelled_at } = await ended(id)
  expect(finished_at).toBeNull()
  expect(cancelled_at).not.toBeNull()
  await until('cold heaters', async () => {
    const { tool0, bed } = (await statusOf(driven))?.temperatures ?? {}
    return tool0?.target === 0 && bed?.target === 0
  })
  expect(await eventsOf(id)).toEqual(['STARTED', 'PAUSED', 'RESUMED', 'ENDED'])
})

test('noise on the line costs time, not the print', async () => {
  await untilState(driven, 'Operational')
  await driven.marlin.control('!!DEBUG:resend_ratio 25')
  const id = await print('noisy.gcode', dwellGCode(12))
  for (let round = 0; round < 3; round += 1) {
    await driven.marlin.control('!!DEBUG:trigger_resend_checksum')
    await driven.marlin.control('!!DEBUG:trigger_resend_lineno')
    await driven.marlin.control('!!DEBUG:trigger_missing_lineno')
    await until('more', async () => (await resendsOf(driven)) > round)
  }
  const { finished_at } = await ended(id)
  await driven.marlin.control('!!DEBUG:resend_ratio 0')
  expect(finished_at).not.toBeNull()
  expect(await resendsOf(driven)).toBeGreaterThan(10)
})

test('a filament change in the file waits for somebody, and goes on when the print is resumed', async () => {
  const [first, second] = [dwellGCode(4), dwellGCode(4)]
  const id = await print('change.gcode', `${first}M600\n${second}`)
  await untilState(driven, 'Paused')
  expect((await client.resumePrint({ id: driven.id })).succeeded).toBe(true)
  expect((await ended(id)).finished_at).not.toBeNull()
  // What the firmware asks meanwhile, such as whether to heat again, comes when it comes.
  const events = (await eventsOf(id)).filter((type) => type !== 'PRINTER_ERROR')
  expect(events).toEqual(['STARTED', 'PAUSED', 'RESUMED', 'ENDED'])
})

test('thermal runaway fails the print and is told', async () => {
  const id = await print('runaway.gcode', dwellGCode(60))
  await untilState(driven, 'Printing')
  await driven.marlin.control('!!DEBUG:trigger_fatal_error_marlin')
  const { finished_at, failed_at } = await ended(id)
  expect(finished_at).toBeNull()
  expect(failed_at).not.toBeNull()
  await agent.waitFor(/Thermal Runaway, system stopped! Heater_ID: bed/)
  await untilState(driven, 'Operational')
})

test('a cable that is pulled fails the print; plugged in again, the printer is back and prints', async () => {
  const id = await print('pulled.gcode', dwellGCode(60))
  await untilState(driven, 'Printing')
  await driven.marlin.control('!!DEBUG:drop_connection')
  expect((await ended(id)).failed_at).not.toBeNull()
  await untilState(driven, 'Operational')
  const again = await print('again.gcode', dwellGCode(3))
  expect((await ended(again)).finished_at).not.toBeNull()
})

test('a print from the card is watched, paused, resumed and seen to its end', async () => {
  const name = 'a_long_sd_name.gco'
  const moves = Array.from({ length: 450 }, (_, index) => `G1 X${index % 100} Y${index % 50} Z0.2 E0.1 F6000`)
  await watched.marlin.putOnCard(name, ['G90', 'M83', ...moves, ''].join('\n'))
  await untilState(watched, 'Operational')
  const listed = await client.listFiles({ id: watched.id })
  const list = await until('the list', async () => {
    const { result } = await client.getCommand({ id: watched.id, command_id: listed.command_id ?? '' })
    return result ?? undefined
  })
  expect(list.files).toEqual([{ path: 'a_long~1.gco', origin: 'sdcard', size: expect.any(Number), date: null }])
  expect((await client.printFile({ id: watched.id, path: 'a_long~1.gco', origin: 'sdcard' })).succeeded).toBe(true)
  const id = await currentPrint(watched)
  await untilState(watched, 'Printing')
  expect((await client.getPrint({ id })).filename).toBe(name)
  expect((await client.pausePrint({ id: watched.id })).succeeded).toBe(true)
  await untilState(watched, 'Paused')
  expect((await client.resumePrint({ id: watched.id })).succeeded).toBe(true)
  await untilState(watched, 'Printing')
  expect((await ended(id)).finished_at).not.toBeNull()
  expect(await eventsOf(id)).toEqual(['STARTED', 'PAUSED', 'RESUMED', 'ENDED'])
  const file = await client.uploadGCodeFile({ filename: 'refused.gcode', file: new Blob(['G28\n']) })
  const { command_id } = await client.printGCodeFile({ id: file.id, printer_id: watched.id })
  const command = await until('the refusal', async () => {
    const one = await client.getCommand({ id: watched.id, command_id: command_id ?? '' })
    return one.status === 'failed' ? one : undefined
  })
  expect(command.error).toContain('prints_from')
})

test('an emergency stop goes ahead of the file, and the printer is down until it has been reset', async () => {
  const id = await print('stopped.gcode', dwellGCode(60))
  await untilState(driven, 'Printing')
  const stop = await client.emergencyStop({ id: driven.id })
  await untilState(driven, 'Offline')
  expect((await statusOf(driven))?.state.error).toMatch(/emergency stop|EMERGENCY SHUTDOWN|no answer/)
  expect((await ended(id)).failed_at).not.toBeNull()
  const done = await until('the command', async () => {
    const one = await client.getCommand({ id: driven.id, command_id: stop.command_id ?? '' })
    return one.status === 'done' ? one : undefined
  })
  expect(done.error).toBeNull()
  // The simulator has no line for a reset: it is switched off and on.
  await driven.marlin.stop()
  driven = { ...driven, marlin: await startMarlin(join(folder.path, 'driven'), ['capabilities.AUTOREPORT_POS=true']) }
  expect((await client.connectPrinter({ id: driven.id })).succeeded).toBe(true)
  await untilState(driven, 'Operational')
})

test('a print from the card is paused with a cold tool, heated before it goes on, and cancelled', async () => {
  const name = 'another_long_sd_name.gco'
  const moves = Array.from({ length: 6_000 }, (_, index) => `G1 X${index % 100} Y${index % 50} Z0.2 E0.1 F6000`)
  await watched.marlin.putOnCard(name, ['G90', 'M83', ...moves, ''].join('\n'))
  await untilState(watched, 'Operational')
  await watched.marlin.control('M104 S60')
  await watched.marlin.control(`M23 ${name}`)
  await watched.marlin.control('M24')
  const id = await currentPrint(watched)
  const tool = async () => (await statusOf(watched))?.temperatures?.tool0
  await until('the heat', async () => ((await tool())?.actual ?? 0) > 55, 60_000, 200)
  await client.updatePrinter({ id: watched.id, tools_off_on_pause: true, lift_z_on_pause: 2 })
  expect((await client.pausePrint({ id: watched.id })).succeeded).toBe(true)
  await untilState(watched, 'Paused')
  await until('the tool to cool', async () => (await tool())?.target === 0 && ((await tool())?.actual ?? 100) < 50)
  expect((await client.resumePrint({ id: watched.id })).succeeded).toBe(true)
  await until('the print to go on', async () => {
    const status = await statusOf(watched)
    return status?.state.flags.printing && !status.state.flags.resuming
  })
  expect((await tool())?.actual).toBeGreaterThan(55)
  expect((await client.cancelPrint({ id: watched.id })).succeeded).toBe(true)
  expect((await ended(id)).cancelled_at).not.toBeNull()
  await untilState(watched, 'Operational')
  await until('a cold tool', async () => (await tool())?.target === 0)
  expect(await eventsOf(id)).toEqual(['STARTED', 'PAUSED', 'RESUMED', 'ENDED'])
})
