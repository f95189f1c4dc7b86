import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ConfigError, loadConfig } from './config.js'

const TOKEN = '0123456789abcdef0123456789abcdef01234567'
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'config-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function load(text: string) {
  const path = join(folder, 'printwarden-agent.cfg')
  await writeFile(path, text)
  return loadConfig(path)
}

async function problemsOf(work: Promise<unknown>): Promise<readonly string[]> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ConfigError)
  return error instanceof ConfigError ? error.problems : []
}

test('secrets come from files beside the configuration, and the state lies beside it', async () => {
  await writeFile(join(folder, 'token'), `${TOKEN}\n`)
  await writeFile(join(folder, 'key'), 'KEY\n')
  const loaded = await load(
    '[server]\nurl: http://s\n[printer a]\nauth_token_file: token\nhost: octoprint\nurl: http://o\napi_key_file: key',
  )
  expect(loaded.config.printers[0]).toMatchObject({ authToken: TOKEN, host: { api_key: 'KEY' } })
  expect(loaded.stateFolder).toBe(join(folder, 'printwarden-agent.state'))
})

test('a folder of pictures is looked for beside the configuration', async () => {
  await mkdir(join(folder, 'frames-here'))
  const { config } = await load(
    `[server]\nurl: http://s\n[printer a]\nauth_token: ${TOKEN}\nhost: virtual\n[camera a]\npictures: frames-here`,
  )
  expect(config.printers[0]?.cameras[0]?.source).toEqual({ type: 'pictures', folder: join(folder, 'frames-here') })
})

test('a secret that cannot be read is one problem, with its line', async () => {
  const problems = await problemsOf(load('[server]\nurl: http://s\n[printer a]\nauth_token_file: gone\nhost: virtual'))
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(/printwarden-agent\.cfg:4: .*auth_token_file: .*gone: there is no such file/)
})

test('a secret given twice is a problem', async () => {
  const problems = await problemsOf(
    load(`[server]\nurl: http://s\n[printer a]\nauth_token: ${TOKEN}\nauth_token_file: x\nhost: virtual`),
  )
  expect(problems[0]).toContain('exclude each other')
})

test('a file that is not there is named', async () => {
  const [problem] = await problemsOf(loadConfig(join(folder, 'none.cfg')))
  expect(problem).toBe(`${join(folder, 'none.cfg')}: there is no such file`)
})
