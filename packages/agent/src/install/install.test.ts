import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { applyStep, type Ground } from './apply-flow.js'
import { installSteps, printsItself, type Machine } from './plan.js'
import type { InstallRecord } from './record.js'
import { revertChange } from './revert-flow.js'
import type { Step } from './steps.js'
import { unitText } from './unit.js'

let root: string
let ground: Ground

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'printwarden-install-'))
  ground = { prefix: root, owner: undefined }
})

afterEach(async () => {
  await chmod(root, 0o755)
  await rm(root, { recursive: true, force: true })
})

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}

/** Every file with its text, and every folder, below the root. */
async function tree(): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const path of (await readdir(root, { recursive: true })).sort()) {
    const full = join(root, path)
    found[path] = (await stat(full)).isDirectory() ? 'folder' : await readFile(full, 'utf8')
  }
  return found
}

const CONF = '[server]\nhost: 0.0.0.0\n\n[update_manager]\nrefresh_interval: 168'
const SERVICES = 'klipper_mcu\nwebcamd\nKlipperScreen'

/** A Klipper image, on which npx has fetched the agent. */
async function klipperImage(change: Partial<Machine> = {}): Promise<Machine> {
  const config = '/home/pi/printer_data/config/printwarden-agent.cfg'
  await put(config, '[server]\nurl: http://a\n')
  await put('/home/pi/printer_data/config/moonraker.conf', CONF)
  await put('/home/pi/printer_data/moonraker.asvc', SERVICES)
  await put('/npx/_npx/1/node_modules/printwarden-agent/dist/main.js', 'console.log("started")\n')
  await put('/npx/_npx/1/node_modules/ws/index.js', '')
  return {
    isRoot: true,
    user: 'pi',
    home: '/home/pi',
    node: process.execPath,
    program: { file: '/x/main.js', version: '1.2.3', passing: join(root, 'npx/_npx/1/node_modules') },
    config,
    groups: ['video', 'dialout'],
    printsItself: false,
    systemdVersion: 252,
    moonraker: { data: '/home/pi/printer_data', conf: CONF, services: SERVICES },
    repository: 'example/printwarden',
    ...change,
  }
}

async function carryOut(steps: readonly Step[]): Promise<{ record: InstallRecord; results: string[] }> {
  let record: InstallRecord = { version: 1, isRoot: true, changes: [] }
  const results: string[] = []
  for (const step of steps) {
    const applied = await applyStep(step, ground, record)
    record = applied.record
    results.push(applied.result)
  }
  return { record, results }
}

async function takeBack({ changes }: InstallRecord): Promise<(string | undefined)[]> {
  const left: (string | undefined)[] = []
  for (const change of changes.toReversed()) left.push(await revertChange(change))
  return left.filter((one) => one !== undefined)
}

test('everything is written, and taken back byte for byte', async () => {
  const machine = await klipperImage()
  const before = await tree()
  const { record } = await carryOut(installSteps(machine))
  const after = await tree()
  expect(after['home/pi/printwarden-agent/node_modules/printwarden-agent/dist/main.js']).toBe(
    'console.log("started")\n',
  )
  expect(after['home/pi/printer_data/config/moonraker.conf']).toBe(
    `${CONF}\n[include printwarden-agent.moonraker.conf]\n`,
  )
  expect(after['home/pi/printer_data/moonraker.asvc']).toBe(`${SERVICES}\nprintwarden-agent\n`)
  expect(after['etc/systemd/system/printwarden-agent.service']).toContain('SupplementaryGroups=video dialout')
  expect(after['home/pi/printer_data/config/printwarden-agent.moonraker.conf']).toContain('repo: example/printwarden')
  // What was copied runs by the entry that a release has.
  const entry = join(root, 'home/pi/printwarden-agent/printwarden-agent.mjs')
  expect(execFileSync(process.execPath, [entry], { encoding: 'utf8' })).toBe('started\n')
  expect(await takeBack(record)).toEqual([])
  expect(await tree()).toEqual(before)
})

test('a second time nothing changes', async () => {
  const machine = await klipperImage()
  await carryOut(installSteps(machine))
  const once = await tree()
  const conf = await readFile(join(root, 'home/pi/printer_data/config/moonraker.conf'), 'utf8')
  const services = await readFile(join(root, 'home/pi/printer_data/moonraker.asvc'), 'utf8')
  const again = { ...machine, moonraker: { data: '/home/pi/printer_data', conf, services } }
  const { results, record } = await carryOut(installSteps(again))
  expect(new Set(results)).toEqual(new Set(['already', 'skipped']))
  expect(record.changes).toEqual([])
  expect(await tree()).toEqual(once)
})

test('another version takes the place of the one before, forwards and back', async () => {
  const machine = await klipperImage()
  const { record } = await carryOut(installSteps(machine))
  for (const version of ['2.0.0', '1.2.3']) {
    const [, step] = installSteps({ ...machine, program: { ...machine.program, version } })
    if (step?.type !== 'program') throw new Error('no program')
    expect((await applyStep(step, ground, record)).result).toBe('done')
    expect(await readFile(join(root, 'home/pi/printwarden-agent/version'), 'utf8')).toBe(`${version}\n`)
  }
})

test("somebody's own unit is put back", async () => {
  const machine = await klipperImage()
  await put('/etc/systemd/system/printwarden-agent.service', '# mine\n')
  const before = await tree()
  const { record } = await carryOut(installSteps(machine))
  await takeBack(record)
  expect(await tree()).toEqual(before)
})

test('what somebody changed meanwhile stays, and so does what the agent has kept', async () => {
  const machine = await klipperImage()
  const { record } = await carryOut(installSteps(machine))
  await put('/home/pi/printer_data/config/moonraker.conf', `${CONF}\n[mine]\n`)
  await put('/home/pi/printer_data/config/printwarden-agent.state/mk3.json', '{}')
  const left = await takeBack(record)
  expect(left).toEqual([
    expect.stringContaining('is no longer in'),
    expect.stringContaining('printwarden-agent.state holds files'),
  ])
  expect((await tree())['home/pi/printer_data/config/moonraker.conf']).toBe(`${CONF}\n[mine]\n`)
})

test('a user alone gets a unit of their own, and Moonraker is not asked to restart it', async () => {
  const machine = await klipperImage({ isRoot: false })
  const steps = installSteps(machine)
  const paths = steps.flatMap((step) => ('path' in step ? [step.path] : []))
  expect(paths).toContain('/home/pi/.config/systemd/user/printwarden-agent.service')
  expect(paths).not.toContain('/home/pi/printer_data/moonraker.asvc')
  const section = steps.find((step) => step.type === 'file' && step.path.endsWith('.moonraker.conf'))
  expect(section?.type === 'file' && section.text).toContain('is_system_service: False')
})

test('without a word where releases come from, Moonraker is told of the service alone', async () => {
  const machine = await klipperImage({ repository: undefined })
  const appended = installSteps(machine).filter(({ type }) => type === 'append')
  expect(appended.map((step) => step.type === 'append' && step.path)).toEqual(['/home/pi/printer_data/moonraker.asvc'])
})

test('a program that stays where it is, is not copied', async () => {
  const program = { file: '/opt/agent/printwarden-agent.mjs', version: '1.2.3', passing: undefined }
  const steps = installSteps(await klipperImage({ program }))
  expect(steps.map(({ type }) => type)).not.toContain('program')
  const unit = steps.find((step) => step.type === 'file' && step.path.endsWith('.service'))
  expect(unit?.type === 'file' && unit.text).toContain(`${process.execPath} /opt/agent/printwarden-agent.mjs run`)
})

test.each([
  ['[printer a]\nhost: serial\ndevice: /dev/ttyUSB0', true],
  ['[printer a]\nhost: octoprint\n[printer b]\nhost = serial\nprints_from: agent', true],
  ['[printer a]\nhost: serial\nprints_from: printer', false],
  ['[printer a]\nhost: moonraker', false],
  ['[camera a]\nhost: serial', false],
  ['not an INI file', false],
])('%j prints itself: %s', (config, is) => {
  expect(printsItself(config)).toBe(is)
})

test('an agent that sends a printer its lines goes first, every other one last', async () => {
  const unitOf = async (change: Partial<Machine>): Promise<string> => {
    const step = installSteps(await klipperImage(change)).find(
      (one) => one.type === 'file' && one.path.endsWith('.service'),
    )
    return step?.type === 'file' ? step.text : ''
  }
  expect(await unitOf({})).toMatch(/^Nice=10$/m)
  expect(await unitOf({ printsItself: true })).toMatch(/^Nice=-5$/m)
  // Which the user's own manager may not allow, and would then not start it at all.
  expect(await unitOf({ printsItself: true, isRoot: false })).not.toMatch(/^(Nice|OOMScoreAdjust)=/m)
})

/** Where systemd's own judge is there, it has the last word. */
const hasJudge = existsSync('/usr/bin/systemd-analyze')

test.skipIf(!hasJudge).each([
  { name: 'of the system', isUserUnit: false, home: '/home/pi' },
  { name: 'of a user', isUserUnit: true, home: '/home/pi' },
  { name: 'that prints itself', isUserUnit: false, home: '/home/pi', first: true },
  { name: 'of a user, that prints itself', isUserUnit: true, home: '/home/pi', first: true },
  { name: 'with odd paths', isUserUnit: false, home: '/home/a b%c$d"e' },
])(
  'systemd finds nothing wrong with the unit $name',
  async ({ isUserUnit, home, first = false }) => {
    const text = unitText({
      isUserUnit,
      user: 'root',
      home,
      node: process.execPath,
      program: `${home}/main.js`,
      config: `${home}/printwarden-agent.cfg`,
      writable: [`${home}/state`],
      groups: ['video'],
      systemdVersion: 252,
      printsItself: first,
    })
    const file = join(root, 'printwarden-agent.service')
    await writeFile(file, text)
    const args = ['verify', '--man=no', '--recursive-errors=no', ...(isUserUnit ? ['--user'] : []), file]
    const env = { ...process.env, XDG_RUNTIME_DIR: root }
    const run = (): string => execFileSync('systemd-analyze', args, { encoding: 'utf8', stdio: 'pipe', env })
    expect(run()).toBe('')
    // The judge is awake.
    await writeFile(file, text.replace('MemoryMax=256M', 'MemoryMax=lots').replace('Restart=always', 'Restrat=always'))
    expect(() => {
      const complaints = execFileSync('sh', ['-c', `systemd-analyze ${args.join(' ')} 2>&1`], { encoding: 'utf8', env })
      if (complaints !== '') throw new Error(complaints)
    }).toThrow()
  },
  60_000,
)
