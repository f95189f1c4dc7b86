import { NO_PRINT } from '@printwarden/protocol'
import { openCamera, CameraError } from '../camera.js'
import type { CameraConfig } from '../camera-config.js'
import { CAPTURE_TIMEOUT_MS } from '../camera-flow.js'
import { finishPicture } from '../cameras/finish.js'
import { clockFinding, findBad, findGood, findingLines, tokenFinding, type Finding } from '../checks.js'
import type { PrinterConfig } from '../config-schema.js'
import { reasonOf } from '../connection-reason.js'
import { EXIT } from '../exit-codes.js'
import type { HostReport } from '../host.js'
import { openHost } from '../hosts.js'
import type { Log } from '../log.js'
import { makeRedact } from '../redact.js'
import { askServer } from '../server-client.js'
import { systemClock } from '../system-clock.js'
import { loadOrComplain, secretsOf } from './run.js'

/** How long a host may take to show its first state. */
const HOST_TIMEOUT_MS = 15_000

/** `printwarden-agent doctor`: tests everything the configuration names. Answers the exit code. */
export async function doctor(options: { config?: string }): Promise<number> {
  const loaded = await loadOrComplain(options.config)
  if (!loaded) return EXIT.badConfig
  const { path, config } = loaded
  const redact = makeRedact(secretsOf(config))
  let failed = 0
  const tell = (finding: Finding) => {
    if (!finding.ok) failed += 1
    for (const line of findingLines(finding)) console.log(redact(line))
  }

  tell(findGood('configuration', `${path}, ${config.printers.length} printer(s)`))
  for (const printer of config.printers) {
    for (const finding of await checkServer(config.serverUrl, printer)) tell(finding)
    tell(await checkHost(printer))
    for (const camera of printer.cameras) tell(await checkCamera(printer.name, camera))
  }
  console.log(failed === 0 ? 'all is well' : `${failed} of these checks failed`)
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

async function checkHost(printer: PrinterConfig): Promise<Finding> {
  const subject = `printer ${printer.name}, ${printer.host.host}`
  const report = await firstReport(printer)
  if (report?.type === 'snapshot') return findGood(subject, `the printer is ${report.snapshot.status.state.text}`)
  const error = report?.type === 'unreachable' ? report.error : undefined
  const mend =
    error?.code === 'unauthorized'
      ? 'take an API key of a user who may control the printer, from the settings of the host'
      : `start the host, or correct url in [printer ${printer.name}]`
  return findBad(subject, error ? `cannot connect to ${error.message}` : 'tells no state', mend)
}

/** What the host reports first about its printer, or about itself. */
async function firstReport({ host: config }: PrinterConfig): Promise<HostReport | undefined> {
  let tell: (report: HostReport | undefined) => void = () => undefined
  const first = new Promise<HostReport | undefined>((resolve) => {
    tell = resolve
  })
  const host = await openHost(config, {
    report: (report) => {
      if (report.type === 'snapshot' || report.type === 'unreachable') tell(report)
    },
    // A look at the printer changes nothing of what the running agent keeps.
    memory: { load: () => null, save: () => undefined },
    clock: systemClock,
    log: SILENT,
  })
  const cancel = systemClock.after(HOST_TIMEOUT_MS, () => tell(undefined))
  const report = await first
  cancel()
  await host.close()
  return report
}

async function checkCamera(printer: string, { label, source, change }: CameraConfig): Promise<Finding> {
  const subject = `camera ${printer} ${label}`
  try {
    const scene = { printing: false, progress: 0.5, failure: 0 }
    const camera = await openCamera(source, { printTs: () => NO_PRINT, scene: () => scene })
    const taken = await camera.capture(AbortSignal.timeout(CAPTURE_TIMEOUT_MS))
    const { bytes, size } = await finishPicture(taken, change)
    return findGood(subject, `gives a picture of ${size.width} × ${size.height}, ${Math.ceil(bytes.length / 1024)} KiB`)
  } catch (error) {
    const why = error instanceof CameraError ? error.message : reasonOf(error)
    return findBad(subject, why, `${CAMERA_REMEDIES[source.type]}, or correct the section of this camera`)
  }
}

const CAMERA_REMEDIES: Record<CameraConfig['source']['type'], string> = {
  snapshot: 'open snapshot_url in a browser on this machine: it must show a picture',
  stream: 'open stream_url in a browser on this machine: it must show a moving picture',
  webcam: 'look at the webcam in Mainsail or Fluidd: it needs a snapshot URL, or an MJPEG stream',
  pictures: 'put JPEG files into the folder',
  generated: 'install the agent again: its picture library is missing',
}

const SILENT: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => SILENT,
}
