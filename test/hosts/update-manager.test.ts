import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort, type Program, ROOT, startProgram, temporaryFolder } from '../support/processes.js'

// What `install` tells Moonraker, judged by Moonraker: a release in a user's home, installed by that user, read by the real update
// manager, and taken back.

const NOBODY = 65_534
const NAME = 'printwarden-agent'
const MOONRAKER_VENV = process.env['MOONRAKER_VENV'] ?? join(homedir(), '.cache/printwarden/moonraker-0.11.0')

let folder: { path: string; remove: () => Promise<void> }
let moonraker: Program | undefined
let port: number
let conf: string

const home = (): string => join(folder.path, 'home')
const inConfig = (name: string): string => join(home(), 'printer_data/config', name)

beforeAll(async () => {
  folder = await temporaryFolder()
  port = await freePort()
  const bundler = join(ROOT, 'scripts/bundle-agent.ts')
  const args = ['--import', 'tsx', bundler, join(home(), NAME), '--repo', 'example/printwarden']
  execFileSync(process.execPath, args, { cwd: ROOT })
  await mkdir(join(home(), 'printer_data/config'), { recursive: true })
  // Without an end of its last line, as editors leave it.
  conf = `[server]\nhost: 127.0.0.1\nport: ${port}\n\n[machine]\nprovider: none\nvalidate_service: False\n\n[authorization]
trusted_clients:\n  127.0.0.1\n\n[update_manager]\nenable_auto_refresh: False`
  await writeFile(inConfig('moonraker.conf'), conf)
  await writeFile(inConfig(`${NAME}.cfg`), '[server]\nurl: http://127.0.0.1:3334\n')
  // Everywhere but at "/" the system's own commands are only named, and there may be no systemd here.
  symlinkSync('/', join(folder.path, 'root'))
  symlinkSync(join(home(), 'printer_data'), join(folder.path, 'data'))
  if (process.getuid?.() === 0) giveAwayAll(folder.path)
}, 600_000)

afterAll(async () => {
  await moonraker?.stop()
  await folder?.remove()
})

/** The agent does not run as root, so root lets somebody else install it. */
function giveAwayAll(path: string): void {
  chownSync(path, NOBODY, NOBODY)
  chmodSync(path, 0o755)
  const below = readdirSync(home(), { recursive: true, encoding: 'utf8' }).map((name) => join(home(), name))
  for (const one of [home(), ...below]) chownSync(one, NOBODY, NOBODY)
}

function agent(command: 'install' | 'uninstall'): string {
  const args = [join(home(), NAME, `${NAME}.mjs`), command, '--yes', '--prefix', join(folder.path, 'root')]
  const as = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  return execFileSync(process.execPath, args, {
    cwd: '/',
    encoding: 'utf8',
    env: { ...process.env, HOME: home() },
    ...as,
  })
}

test('the real update manager takes the section, and finds the release', async () => {
  agent('install')
  expect(existsSync(join(home(), `.config/systemd/user/${NAME}.service`))).toBe(true)
  moonraker = startProgram('bash', [join(ROOT, 'test/hosts/start-moonraker.sh'), folder.path, String(port)], {
    MOONRAKER_VENV,
    KLIPPY_SIMULATE: '0',
  })
  await moonraker.waitFor(/READY url=/, 600_000)
  const ask = async (path: string): Promise<string> => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
  expect(JSON.parse(await ask('/machine/update/status'))).toMatchObject({
    result: {
      version_info: {
        [NAME]: {
          configured_type: 'zip',
          is_valid: true,
          owner: 'example',
          repo_name: 'printwarden',
          version: expect.stringMatching(/^v\d+\.\d+\.\d+$/),
          warnings: [],
          anomalies: [],
        },
      },
    },
  })
  expect(JSON.parse(await ask('/server/info'))).toMatchObject({ result: { failed_components: [], warnings: [] } })
}, 700_000)

test('taken back, its configuration is what it was, byte for byte', async () => {
  await moonraker?.stop()
  expect(agent('uninstall')).toContain('Uninstalled')
  expect(await readFile(inConfig('moonraker.conf'), 'utf8')).toBe(conf)
  expect(existsSync(inConfig(`${NAME}.moonraker.conf`))).toBe(false)
  expect(existsSync(join(home(), '.config'))).toBe(false)
  expect(existsSync(join(home(), '.local'))).toBe(false)
  expect(readFileSync(inConfig(`${NAME}.cfg`), 'utf8')).toContain('[server]')
}, 60_000)
