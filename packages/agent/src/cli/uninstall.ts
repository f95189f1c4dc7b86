import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { EXIT } from './exit-codes.js'
import { stopCommands } from '../install/plan.js'
import type { Change } from '../install/record.js'
import { readRecord, recordPath, removeRecord } from '../install/record-client.js'
import { revertChange } from '../install/revert-flow.js'
import { chooseGround, InstallProblem, withTerminal, type InstallOptions } from './install.js'
import type { Terminal } from './terminal.js'

const run = promisify(execFile)

/** `printwarden-agent uninstall`: takes back what `install` did. The configuration stays. Answers the exit code. */
export async function uninstall(options: Pick<InstallOptions, 'yes' | 'prefix' | 'user'>): Promise<number> {
  return withTerminal(options.yes === true, async (terminal) => {
    const { user, ground } = chooseGround(options)
    const path = recordPath(user.home, ground.prefix)
    const record = await readRecord(path)
    if (record === undefined) {
      terminal.say(`Nothing is installed for ${user.name}.`)
      return EXIT.stopped
    }
    if (record.isRoot && process.getuid?.() !== 0) {
      throw new InstallProblem('it was installed for the whole system', 'run uninstall by sudo too')
    }
    for (const change of record.changes) terminal.say(`  ${changeWords(change)}`)
    if (!(await terminal.confirm('Take all of this back?', true))) return EXIT.stopped

    if (ground.prefix === '/') await runAll(terminal, stopCommands(record.isRoot))
    await removeRecord(path)
    for (const change of record.changes.toReversed()) {
      const left = await revertChange(change)
      if (left !== undefined) terminal.say(`${terminal.style.warn('!')} ${left}`)
    }
    const reload = [...(record.isRoot ? ['systemctl'] : ['systemctl', '--user']), 'daemon-reload']
    if (ground.prefix === '/') await runAll(terminal, [reload])
    terminal.say(`${terminal.style.good('✓')} Uninstalled. The configuration stays, with the tokens in it.`)
    return EXIT.stopped
  })
}

function changeWords(change: Change): string {
  switch (change.type) {
    case 'folder':
      return `remove the folder ${change.path}, when it is empty`
    case 'program':
      return `remove ${change.path} with the program`
    case 'file':
      return change.before === null ? `remove ${change.path}` : `put back what ${change.path} was before`
    case 'append':
      return `take “${change.text.trim()}” out of ${change.path}`
  }
}

/** A service that is gone already is no reason to leave its files. */
async function runAll(terminal: Terminal, commands: readonly (readonly string[])[]): Promise<void> {
  for (const [command = '', ...args] of commands) {
    await run(command, args, { timeout: 60_000 }).catch((error: unknown) => {
      terminal.say(`${terminal.style.warn('!')} ${error instanceof Error ? error.message.trim() : String(error)}`)
    })
  }
}
