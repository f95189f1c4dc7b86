import { dirname, join } from 'node:path'
import { parseIni } from '../config/ini.js'
import { includeFor, releaseInfo, SECTION_FILE, serviceFor, updateSection, type Repository } from './moonraker.js'
import type { Step } from './steps.js'
import { SERVICE, unitText } from './unit.js'

/** The program as it runs now. */
export interface Program {
  /** The file that Node was started with. */
  readonly file: string
  readonly version: string
  /**
   * The `node_modules` folder that it lies in when it will not stay there, as npx and temporary folders do not; undefined
   * when it can be run from where it is.
   */
  readonly passing: string | undefined
}

/** What is known about the machine. */
export interface Machine {
  readonly isRoot: boolean
  readonly user: string
  readonly home: string
  readonly node: string
  readonly program: Program
  readonly config: string
  /** Groups of cameras and serial lines that this system has. */
  readonly groups: readonly string[]
  readonly systemdVersion: number
  /** Whether a printer on a serial line is printed on by the agent itself. */
  readonly printsItself: boolean
  /** Klipper's data folder with Moonraker's configuration in it; undefined without one. */
  readonly moonraker: MoonrakerFiles | undefined
  readonly repository: Repository | undefined
}

export interface MoonrakerFiles {
  /** Such as `/home/pi/printer_data`. */
  readonly data: string
  readonly conf: string
  /** The services that it may restart; undefined when there is no such file. */
  readonly services: string | undefined
}

/** Whether the configuration has a printer on a serial line that does not print from its own card. */
export function printsItself(config: string): boolean {
  return parseIni(config).sections.some(({ name, entries }) => {
    const valueOf = (key: string): string | undefined => entries.find((entry) => entry.key === key)?.value
    return name.startsWith('printer ') && valueOf('host') === 'serial' && valueOf('prints_from') !== 'printer'
  })
}

/** Everything that installing does on this machine, in order. Steps whose work is done already are recognised when they run. */
export function installSteps(machine: Machine): Step[] {
  const { program, config, moonraker } = machine
  const folder = programFolder(machine)
  const start = program.passing === undefined ? program.file : join(folder, ENTRY)
  const state = join(dirname(config), `${SERVICE}.state`)
  const logs = moonraker && join(moonraker.data, 'logs')
  const unit = unitText({
    ...machine,
    isUserUnit: !machine.isRoot,
    program: start,
    writable: [state, ...(logs === undefined ? [] : [logs])],
  })
  return [
    { type: 'folder', path: recordFolder(machine) },
    ...(program.passing === undefined ? [] : [programStep(machine, program.passing)]),
    { type: 'folder', path: state },
    ...moonrakerSteps(machine, folder),
    { type: 'file', path: unitPath(machine), text: unit },
    ...serviceCommands(machine),
  ]
}

const ENTRY = `${SERVICE}.mjs`

/** Where it is kept what was installed. */
export function recordFolder({ home }: Pick<Machine, 'home'>): string {
  return join(home, '.local/state', SERVICE)
}

/** Where the program is once it is installed. */
export function programFolder({ home, program }: Pick<Machine, 'home' | 'program'>): string {
  return program.passing === undefined ? dirname(program.file) : join(home, SERVICE)
}

/** Where the unit is. */
export function unitPath({ isRoot, home }: Pick<Machine, 'isRoot' | 'home'>): string {
  const folder = isRoot ? '/etc/systemd/system' : join(home, '.config/systemd/user')
  return join(folder, `${SERVICE}.service`)
}

function programStep({ home, program, repository }: Machine, modules: string): Step {
  const files: Record<string, string> = {
    // The same entry that a release has, so that an update by Moonraker fits.
    [ENTRY]: `import './node_modules/${SERVICE}/dist/main.js'\n`,
    version: `${program.version}\n`,
  }
  if (repository !== undefined) files['release_info.json'] = releaseInfo(repository, program.version)
  return { type: 'program', path: join(home, SERVICE), modules, files }
}

function moonrakerSteps({ moonraker, repository, isRoot }: Machine, folder: string): Step[] {
  if (moonraker === undefined) return []
  const { data, conf, services } = moonraker
  const steps: Step[] = []
  if (repository !== undefined) {
    const text = updateSection({ repository, folder, isUserUnit: !isRoot })
    steps.push({ type: 'file', path: join(data, 'config', SECTION_FILE), text })
    const include = includeFor(conf)
    if (include !== undefined) steps.push({ type: 'append', path: join(data, 'config/moonraker.conf'), text: include })
  }
  const service = isRoot && services !== undefined ? serviceFor(services) : undefined
  if (service !== undefined) steps.push({ type: 'append', path: join(data, 'moonraker.asvc'), text: service })
  return steps
}

function serviceCommands({ isRoot, user }: Machine): Step[] {
  const systemctl = isRoot ? ['systemctl'] : ['systemctl', '--user']
  const run = (...command: string[]): Step => ({ type: 'run', command })
  return [
    run(...systemctl, 'daemon-reload'),
    run(...systemctl, 'enable', `${SERVICE}.service`),
    run(...systemctl, 'restart', `${SERVICE}.service`),
    // A user's services end with the last session otherwise.
    ...(isRoot ? [] : [run('loginctl', 'enable-linger', user)]),
  ]
}

/** The step as it is when nothing has changed: a service that runs is then left running. */
export function unchangedStep(step: Step): Step {
  if (step.type !== 'run') return step
  return { ...step, command: step.command.map((word) => (word === 'restart' ? 'start' : word)) }
}

/** What stops the service for good, before its files go. */
export function stopCommands(isRoot: boolean): (readonly string[])[] {
  return [[...(isRoot ? ['systemctl'] : ['systemctl', '--user']), 'disable', '--now', `${SERVICE}.service`]]
}
