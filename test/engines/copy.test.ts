import { createHash, randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@printwarden/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EngineProgram } from '../support/engine-programs.js'
import { startPostgres } from '../support/engine-programs.js'
import type { Program, ServerProgram } from '../support/processes.js'
import {
  ADMIN,
  freePort,
  ourProgram,
  runServerCommand,
  startAgent,
  startProgram,
  startServer,
  temporaryFolder,
  until,
} from '../support/processes.js'
import { type S3Program, startS3 } from '../support/s3-program.js'

// A household's server moves to PostgreSQL and a bucket: what it has shown before it shows afterwards, to those who were let in before.

let folder: { path: string; remove: () => Promise<void> }
let postgres: EngineProgram
let s3: S3Program
let server: ServerProgram | undefined
let agent: Program | undefined

beforeAll(async () => {
  folder = await temporaryFolder()
  ;[postgres, s3] = await Promise.all([startPostgres(), startS3()])
}, 240_000)

afterAll(async () => {
  await agent?.stop()
  await server?.stop()
  await Promise.all([postgres?.close(), s3?.close()])
  await folder?.remove()
})

async function runCopy(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const { command, args: programArgs } = ourProgram('server')
  // Where to copy to is not given on the command line, which everybody on the machine can read.
  const program = startProgram(command, [...programArgs, 'copy', '--from', join(folder.path, 'data'), ...args], {
    ...s3.env,
    PRINTWARDEN_DATABASE_URL: postgres.url,
  })
  return { code: await program.ended, output: program.output() }
}

test('agents and users that the embedded server knew are known to the one on the copy, and lists are the same', async () => {
  const start = (env: Record<string, string>, port: number) =>
    startServer({ dataDir: join(folder.path, 'data'), port, env: { PRINTWARDEN_DISCOVERY: 'off', ...env } })
  const port = await freePort()
  server = await start({}, port)
  const { url } = server
  const issued = JSON.parse(
    await runServerCommand(url, ['token', 'issue', '--user', ADMIN.email, '--scope', 'read write', '--json']),
  ) as { access_token: string }
  const client = createClient({ baseUrl: url, token: issued.access_token })
  const printer = await client.createPrinter({ name: 'Virtual Ünïcödé' })
  const config = join(folder.path, 'printwarden-agent.cfg')
  await writeFile(
    config,
    `[server]
url: ${url}

[printer virtual]
auth_token: ${printer.auth_token}
host: virtual
duration: 900
heating: 1
seed: 5016
`,
  )
  agent = startAgent(config)
  const state = async () => (await client.getPrinter({ id: printer.id })).status?.state.text
  const hasPrint = async () => (await client.getPrinter({ id: printer.id })).current_print !== null
  await until('a print', hasPrint, 120_000, 200)

  // One that goes into the bucket at once, and one that goes there in parts.
  const files = await Promise.all(
    [1000, 6_000_000].map(async (half) => {
      const file = new Blob([`; ${randomBytes(half).toString('hex')}\nG28\n`])
      return client.uploadGCodeFile({ filename: `${half}.gcode`, file })
    }),
  )

  expect(await runCopy([])).toMatchObject({ code: 1, output: expect.stringMatching(/in use by another/) })
  await agent.stop()
  await server.stop()
  server = undefined
  const barn = await runCopy(['--blobs', s3.url.replace('farm', 'barn')])
  expect(barn).toMatchObject({ code: 1, output: expect.stringMatching(/bucket barn at .*no such bucket/) })
  const copied = await runCopy(['--blobs', s3.url])
  expect(copied).toMatchObject({ code: 0, output: expect.stringMatching(/same on both sides/) })
  expect(copied.output).not.toMatch(/NodeVersionSupportWarning/)
  expect((await s3.keys()).length).toBeGreaterThanOrEqual(files.length)

  // The embedded server once more, to see what it shows at rest.
  const show = async () => {
    const headers = { authorization: `Bearer ${issued.access_token}` }
    const lists = ['prints/', 'printers/', 'printer_events/', 'users/current/'].map(async (list) => {
      const response = await fetch(`${url}/api/v1/${list}`, { headers })
      // Links to pictures are signed for a time.
      return `${response.status} ${(await response.text()).replaceAll(/\?[^"]*/g, '')}`
    })
    return Promise.all(lists)
  }
  // Until then it would say that nobody looks, and why.
  const isLoaded = async () =>
    (await client.getPrinter({ id: printer.id })).not_watching_code !== 'detector_unavailable'
  server = await start({}, port)
  await until('the model', isLoaded, 120_000, 200)
  const before = await show()
  await server.stop()
  // The pictures and files that the data folder had are not needed any more.
  await rm(join(folder.path, 'data', 'blobs'), { recursive: true })
  server = await start({ ...s3.env, PRINTWARDEN_DATABASE_URL: postgres.url }, port)
  await until('the model', isLoaded, 120_000, 200)
  expect(await show()).toEqual(before)
  for (const { id, sha256 } of files) {
    const { url: address } = await client.getGCodeFile({ id })
    const bytes = Buffer.from(await (await fetch(address ?? '')).arrayBuffer())
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256)
  }
  expect(before[0]).toMatch(/^200 .*"current_print_ts"|^200 .*"filename"/)

  // The password still lets in.
  await runServerCommand(url, ['user', 'list', '--json'])
  agent = startAgent(config)
  await until('the agent to come back', async () => (await state()) === 'Printing', 120_000, 200)
  expect((await client.createPrinter({ name: 'After' })).id).toBe(printer.id + 1)

  // It goes on by itself now, and a comparison says where.
  await agent.stop()
  await server.stop()
  const again = await runCopy(['--verify', '--json'])
  expect(again.code).toBe(1)
  expect(again.output).toMatch(/printers: 1 rows became 2/)
}, 900_000)
