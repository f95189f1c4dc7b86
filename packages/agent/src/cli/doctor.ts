import { clockFinding, findBad, findGood, findingLines, tokenFinding, type Finding } from '../doctor/checks.js'
import type { PrinterConfig } from '../config/config-schema.js'
import { reasonOf } from '../uplink/connection-reason.js'
import { EXIT } from './exit-codes.js'
import { makeRedact } from '../log/redact.js'
import { askServer } from '../uplink/server-client.js'
import { wantsColours } from './config.js'
import { checkMachine } from './doctor-machine.js'
import { checkCamera, checkHost } from './doctor-printer.js'
import { loadOrComplain, secretsOf } from './run.js'
import { makeStyle } from './style.js'

/** `printwarden-agent doctor`: tests this machine and everything the configuration names. Answers the exit code. */
export async function doctor(options: { config?: string }): Promise<number> {
  const loaded = await loadOrComplain(options.config)
  if (!loaded) return EXIT.badConfig
  const { path, config } = loaded
  const redact = makeRedact(secretsOf(config))
  const style = makeStyle(wantsColours(process.stdout))
  let failed = 0
  const told = new Set<string>()
  const tell = (finding: Finding) => {
    const text = redact(findingLines(finding, style).join('\n'))
    // All printers have one server, which need be told but once.
    if (told.has(text)) return
    told.add(text)
    if (!finding.ok) failed += 1
    console.log(text)
  }

  tell(findGood('configuration', `${path}, ${config.printers.length} printer(s)`))
  for (const finding of await checkMachine(path)) tell(finding)
  for (const printer of config.printers) {
    for (const finding of await checkServer(config.serverUrl, printer)) tell(finding)
    tell(await checkHost(printer))
    for (const camera of printer.cameras) tell(await checkCamera(printer.name, camera))
  }
  console.log(failed === 0 ? style.good('all is well') : style.bad(`${failed} of these checks failed`))
  return failed === 0 ? EXIT.stopped : EXIT.failed
}

async function checkServer(serverUrl: string, { name, authToken }: PrinterConfig): Promise<Finding[]> {
  try {
    const askedMs = Date.now()
    const { status, printer, serverTs } = await askServer(serverUrl, authToken)
    const midMs = (askedMs + Date.now()) / 2
    const server = findGood('server', `${serverUrl} answers`)
    const token = tokenFinding(`printer ${name}, token`, status, printer)
    return [server, token, ...(serverTs === undefined ? [] : [clockFinding(midMs / 1000 - serverTs)])]
  } catch (error) {
    const mend = 'start the server, or correct url in [server]; from this machine it must be reachable'
    return [findBad('server', `${serverUrl} does not answer (${reasonOf(error)})`, mend)]
  }
}
