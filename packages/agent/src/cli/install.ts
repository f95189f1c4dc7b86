import { resolve, join } from 'node:path'
import { existsSync, readFileSync } from 'node:fs'
import { ConfigError, loadConfig, userFolder } from '../config/config.js'
import { EXIT } from './exit-codes.js'
import { applyStep, type Ground } from '../install/apply-flow.js'
import * as machine from '../install/machine-client.js'
import { isRepository } from '../install/moonraker.js'
import { installSteps, printsItself, unchangedStep, type Machine } from '../install/plan.js'
import { platformProblems } from '../install/platform.js'
import type { InstallRecord } from '../install/record.js'
import { readRecord, recordPath, writeRecord } from '../install/record-client.js'
import { stepWords, type Step } from '../install/steps.js'
import { callerOfSudo } from './config.js'
import { Interrupted, openTerminal, type Terminal } from './terminal.js'
import { agentVersion } from './version.js'

export interface InstallOptions {
  readonly yes?: boolean
  /** The root of the system to install into; commands are then only named. */
  readonly prefix?: string
  readonly user?: string
  readonly config?: string
  /** `owner/name` of the repository from which Moonraker takes updates. */
  readonly repo?: string
}

/** What cannot go on, with what to do about it. */
export class InstallProblem extends Error {
  override readonly name = 'InstallProblem'
  constructor(
    message: string,
    readonly mend: string,
  ) {
    super(message)
  }
}

/** `printwarden-agent install`: a service that starts with the machine. Answers the exit code. */
export async function install(options: InstallOptions): Promise<number> {
  return withTerminal(options.yes === true, async (terminal) => {
    const [problem] = platformProblems(process.arch, process.versions.node)
    if (problem !== undefined) throw new InstallProblem(problem.text, problem.mend)
    const { ground, machine: found } = await lookAround(options)
    const steps = installSteps(found)
    terminal.say(`Printwarden agent ${found.program.version}, as ${whatService(found)}`)
    for (const step of steps) terminal.say(`  ${stepWords(step)}`)
    if (!(await terminal.confirm('Do this?', true))) return EXIT.stopped
    const isWhole = await carryOut(terminal, steps, ground, found)
    await tellProblems(terminal, options.config === undefined ? join(ground.prefix, found.config) : found.config)
    tellUpdates(terminal, found)
    return isWhole ? EXIT.stopped : EXIT.failed
  })
}

/** Runs a command's work; says what went wrong, and what to do about it. */
export async function withTerminal(isSure: boolean, work: (terminal: Terminal) => Promise<number>): Promise<number> {
  const terminal = openTerminal({ assumeYes: isSure })
  try {
    if (!isSure && !terminal.isInteractive) {
      throw new InstallProblem('nobody can be asked here', 'say --yes to do it unasked')
    }
    return await work(terminal)
  } catch (error) {
    if (error instanceof Interrupted) return EXIT.failed
    const mend = error instanceof InstallProblem ? error.mend : mendOfError(error)
    if (mend === undefined) throw error
    terminal.say(`${terminal.style.bad('✗')} ${error instanceof Error ? error.message : String(error)}`)
    terminal.say(`  → ${mend}`)
    return EXIT.failed
  } finally {
    terminal.close()
  }
}

function mendOfError(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EACCES' || code === 'EPERM') return 'run it as the user whom the folder belongs to, or by sudo'
  if (code === 'ENOSPC') return 'make room on the disk, then install again: what is done already is left as it is'
  return undefined
}

/** For whom and where: a program that is run by sudo serves the user who called it. */
export function chooseGround({ user: given, prefix = '/' }: Pick<InstallOptions, 'user' | 'prefix'>): {
  user: machine.SystemUser
  ground: Ground
} {
  const isRoot = machine.isRoot()
  const name = given ?? (isRoot ? callerOfSudo() : undefined)
  if (isRoot && (name === undefined || name === 'root')) {
    throw new InstallProblem(
      'the agent does not run as root',
      'name the user it belongs to, such as --user pi, or install as that user',
    )
  }
  const user = machine.findUser(name)
  if (user === undefined) throw new InstallProblem(`there is no user ${name ?? ''}`, 'name one that exists')
  return { user, ground: { prefix: resolve(userFolder(), prefix), owner: isRoot ? user : undefined } }
}

async function lookAround(options: InstallOptions): Promise<{ machine: Machine; ground: Ground }> {
  const { user, ground } = chooseGround(options)
  const { home } = user
  const { prefix } = ground
  const config = options.config === undefined ? machine.configOf(home, prefix) : resolve(userFolder(), options.config)
  if (config === undefined || !existsSync(options.config === undefined ? join(prefix, config) : config)) {
    throw new InstallProblem(
      `there is no configuration of ${user.name} yet`,
      'make one first: printwarden-agent link, as that user',
    )
  }
  if (options.repo !== undefined && !isRepository(options.repo)) {
    throw new InstallProblem(`"${options.repo}" is no repository`, 'write it as owner/name')
  }
  if (!machine.hasSystemd() && prefix === '/') {
    throw new InstallProblem(
      'systemd does not run this system',
      'start "printwarden-agent run" by what starts programs here',
    )
  }
  const program = machine.runningProgram(agentVersion())
  return {
    ground,
    machine: {
      isRoot: machine.isRoot(),
      user: user.name,
      home,
      node: process.execPath,
      program,
      config,
      groups: machine.deviceGroups(),
      systemdVersion: await machine.systemdVersion(),
      printsItself: printsItself(readFileSync(options.config === undefined ? join(prefix, config) : config, 'utf8')),
      moonraker: machine.moonrakerFiles(home, prefix),
      repository: machine.repositoryOf(program, options.repo),
    },
  }
}

const whatService = ({ isRoot, user }: Machine): string =>
  isRoot ? `a service of this system that runs as ${user}` : `a service of ${user}`

/** Carries the steps out, and keeps after each what was changed. False when a command of the system failed. */
async function carryOut(
  terminal: Terminal,
  steps: readonly Step[],
  ground: Ground,
  { home, isRoot }: Machine,
): Promise<boolean> {
  const { style } = terminal
  const path = recordPath(home, ground.prefix)
  let record: InstallRecord = (await readRecord(path)) ?? { version: 1, isRoot, changes: [] }
  let isWhole = true
  let hasChanged = false
  for (const planned of steps) {
    const step: Step = hasChanged ? planned : unchangedStep(planned)
    try {
      const applied = await applyStep(step, ground, record)
      if (applied.record !== record) await writeRecord(path, applied.record, ground)
      record = applied.record
      hasChanged ||= applied.result === 'done' && step.type !== 'run' && step.type !== 'folder'
      const note = { done: style.good('done'), already: style.dim('as it was'), skipped: style.dim('left to you') }
      terminal.say(`${note[applied.result]}  ${stepWords(step)}`)
    } catch (error) {
      if (step.type !== 'run') throw error
      isWhole = false
      terminal.say(`${style.bad('failed')}  ${stepWords(step)}: ${error instanceof Error ? error.message.trim() : ''}`)
      terminal.say('  → run it yourself, and look into: journalctl -u printwarden-agent -e')
    }
  }
  return isWhole
}

/** A service whose configuration is wrong ends at once, and is not started again. */
async function tellProblems(terminal: Terminal, path: string): Promise<void> {
  try {
    await loadConfig(path)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    terminal.say(`${terminal.style.warn('!')} The service will not run before this is mended, and it is started anew:`)
    for (const problem of error.problems) terminal.say(`  ${problem}`)
  }
}

function tellUpdates(terminal: Terminal, { moonraker, repository, isRoot }: Machine): void {
  if (moonraker !== undefined && repository !== undefined) {
    terminal.say('Restart Moonraker when nothing is being printed; then Mainsail and Fluidd show updates of the agent.')
    if (!isRoot) terminal.say('They can restart the agent only when it was installed by sudo.')
    return
  }
  terminal.say('Update it with: npx printwarden-agent@latest install')
  if (moonraker !== undefined) {
    terminal.say(
      'Moonraker is not told where updates come from: only a release, or npx with --repo OWNER/NAME, knows that.',
    )
  }
}
