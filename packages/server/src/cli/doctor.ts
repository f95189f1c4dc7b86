import { endpoints } from '@printwarden/protocol'
import type { Command } from 'commander'
import { VERSION } from '../version.js'
import { type Answer, NoOptions, onServer } from './command.js'
import { CommandError } from './command-error.js'
import type { Connection } from './connection.js'
import {
  aliveFinding,
  assistantFinding,
  type Finding,
  findingLine,
  readyFindings,
  versionFinding,
} from './diagnosis.js'

/** `doctor` */
export function addDoctorCommand(program: Command): void {
  onServer(
    program.command('doctor').description('look at a running server and say how to mend what is wrong'),
    NoOptions,
    async (server): Promise<Answer> => {
      const findings = [
        aliveFinding(server.url, await server.probe('/healthz')),
        ...readyFindings(await server.probe('/readyz')),
        await lookAtVersion(server),
        ...(await lookAtAssistant(server)),
      ]
      const isFailure = findings.some(({ ok }) => !ok)
      return { json: { ok: !isFailure, findings }, lines: findings.map(findingLine), isFailure }
    },
  )
}

/** Nothing where the sign-in does not work: that is told already. */
async function lookAtAssistant(server: Connection): Promise<Finding[]> {
  try {
    return [assistantFinding(await server.ask(endpoints.getAssistantStatus))]
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return []
  }
}

/** Needs to be signed in, so it shows whether that works, too. */
async function lookAtVersion(server: Connection): Promise<Finding> {
  try {
    const { version } = await server.ask(endpoints.getVersion)
    return versionFinding(version, VERSION)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return { check: 'sign-in', ok: false, detail: error.message }
  }
}
