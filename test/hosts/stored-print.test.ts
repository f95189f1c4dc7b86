import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient } from '@printwarden/sdk'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Program, ServerProgram } from '../support/processes.js'
import { runServerCommand, startAgent, startServer, temporaryFolder, until } from '../support/processes.js'
import type { OctoPrintProgram } from './octoprint-program.js'
import { dwellGCode, startOctoPrint } from './octoprint-program.js'

// A stored file on its way to a real OctoPrint: fetched and checked by the agent, handed on, printed, and known to the print.

let folder: { path: string; remove: () => Promise<void> }
let octoprint: OctoPrintProgram
let server: ServerProgram
let agent: Program
let client: Client
let printerId: number

beforeAll(async () => {
  folder = await temporaryFolder()
  await mkdir(join(folder.path, 'octoprint'))
  octoprint = await startOctoPrint(join(folder.path, 'octoprint'))
  server = await startServer({ dataDir: join(folder.path, 'data') })
  const issue = ['token', 'issue', '--user', 'admin@example.test', '--scope', 'read write', '--json']
  const issued: unknown = JSON.parse(await runServerCommand(server.url, issue))
  if (typeof issued !== 'object' || issued === null || !('access_token' in issued)) throw new Error('no token')
  client = createClient({ baseUrl: server.url, token: String(issued.access_token) })
  const printer = await client.createPrinter({ name: 'Virtual Marlin' })
  printerId = printer.id
  const config = join(folder.path, 'printwarden-agent.cfg')
  await writeFile(
    config,
    `[server]
url: ${server.url}

[printer marlin]
auth_token: ${printer.auth_token}
host: octoprint
url: ${octoprint.url}
api_key: ${octoprint.apiKey}
`,
  )
  agent = startAgent(config)
})

afterAll(async () => {
  await agent?.stop()
  await server?.stop()
  await octoprint?.stop()
  await folder?.remove()
})

afterEach((context) => {
  if (context.task.result?.state !== 'fail') return
  console.log('server:\n', server?.output().slice(-4000), '\nagent:\n', agent?.output().slice(-4000))
})

const upload = (filename: string, gCode: string) => client.uploadGCodeFile({ filename, file: new Blob([gCode]) })

const untilIdle = (): Promise<boolean> =>
  until(
    'the printer to wait',
    async () => (await client.getPrinter({ id: printerId })).status?.state.text === 'Operational',
    120_000,
    300,
  )

// OctoPrint gives files names of its own making, so the print is told by its file and not by its name.
test.each(['stored.gcode', 'Großes Boot (v2).gcode'])('%s is printed by OctoPrint', async (filename) => {
  const file = await upload(filename, dwellGCode(12))
  await untilIdle()
  const { succeeded, command_id } = await client.printGCodeFile({ id: file.id, printer_id: printerId })
  expect(succeeded).toBe(true)
  // The truth is asked of OctoPrint, not of us.
  await until('OctoPrint to print', async () => (await octoprint.state()) === 'Printing', 60_000, 200)
  const running = await until('the print with its file', async () => {
    const { current_print: print } = await client.getPrinter({ id: printerId })
    return print?.g_code_file ? print : undefined
  })
  expect(running.g_code_file).toMatchObject({ id: file.id, filename })
  await until('the command to be seen', async () => {
    return (await client.getCommand({ id: printerId, command_id: command_id ?? '' })).status === 'done'
  })
  const refused = await client.printGCodeFile({ id: file.id, printer_id: printerId })
  expect(refused).toMatchObject({ succeeded: false, reason: { code: 'busy' } })
  const print = await until(
    'the end of the print',
    async () => {
      const one = await client.getPrint({ id: running.id })
      return one.ended_at === null ? undefined : one
    },
    120_000,
    300,
  )
  expect(print.finished_at).not.toBeNull()
  expect(print.g_code_file?.id).toBe(file.id)
  expect((await client.getGCodeFile({ id: file.id })).print_set.map(({ id }) => id)).toEqual([print.id])
})

test('a file that is deleted before it was fetched is not printed, and the command says why', async () => {
  const file = await upload('gone.gcode', dwellGCode(5))
  await untilIdle()
  const prints = (await client.listPrints()).length
  // Stopped, the agent cannot fetch the file before it is gone; the command waits in its socket.
  process.kill(agent.pid, 'SIGSTOP')
  const { command_id } = await client.printGCodeFile({ id: file.id, printer_id: printerId })
  await client.deleteGCodeFile({ id: file.id })
  process.kill(agent.pid, 'SIGCONT')
  const command = await until('the command to fail', async () => {
    const one = await client.getCommand({ id: printerId, command_id: command_id ?? '' })
    return one.status === 'failed' ? one : undefined
  })
  expect(command.error).toMatch(/^download_failed: .*404/)
  expect(await octoprint.state()).toBe('Operational')
  expect(await client.listPrints()).toHaveLength(prints)
})
