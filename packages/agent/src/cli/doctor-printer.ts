import { NO_PRINT } from '@printwarden/protocol'
import { openCamera, CameraError } from '../camera.js'
import type { CameraConfig } from '../config/camera-config.js'
import { CAPTURE_TIMEOUT_MS } from '../pictures/camera-flow.js'
import { finishPicture } from '../cameras/finish.js'
import { findBad, findGood, hostMend, type Finding } from '../doctor/checks.js'
import type { PrinterConfig } from '../config/config-schema.js'
import { reasonOf } from '../uplink/connection-reason.js'
import type { HostReport } from '../host.js'
import { openHost } from '../hosts.js'
import type { Log } from '../log/log.js'
import { systemClock } from '../time/system-clock.js'

/** How long a host may take to show its first state. */
const HOST_TIMEOUT_MS = 15_000

/** Whether the host of a printer answers, and lets the agent in. */
export async function checkHost(printer: PrinterConfig): Promise<Finding> {
  const subject = `printer ${printer.name}, ${printer.host.host}`
  const report = await firstReport(printer)
  if (report?.type === 'snapshot') return findGood(subject, `the printer is ${report.snapshot.status.state.text}`)
  const error = report?.type === 'unreachable' ? report.error : undefined
  return findBad(
    subject,
    error ? `cannot connect to ${error.message}` : 'tells no state',
    hostMend(printer, error?.code),
  )
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

/** Whether a camera gives a picture: how large, and how soon. */
export async function checkCamera(printer: string, { label, source, change }: CameraConfig): Promise<Finding> {
  const subject = `camera ${printer} ${label}`
  try {
    const scene = { printing: false, progress: 0.5, failure: 0 }
    const camera = await openCamera(source, { printTs: () => NO_PRINT, scene: () => scene })
    const startedMs = performance.now()
    const taken = await camera.capture(AbortSignal.timeout(CAPTURE_TIMEOUT_MS))
    const tookMs = Math.round(performance.now() - startedMs)
    const { bytes, size } = await finishPicture(taken, change)
    const kib = Math.ceil(bytes.length / 1024)
    return findGood(subject, `gives a picture of ${size.width} × ${size.height}, ${kib} KiB, in ${tookMs} ms`)
  } catch (error) {
    const why = error instanceof CameraError ? error.message : reasonOf(error)
    return findBad(subject, why, `${CAMERA_REMEDIES[source.type]}, or correct the section of this camera`)
  }
}

const CAMERA_REMEDIES: Record<CameraConfig['source']['type'], string> = {
  snapshot: 'open snapshot_url in a browser on this machine: it must show a picture',
  stream: 'open stream_url in a browser on this machine: it must show a moving picture',
  rtsp: 'open stream_url in a video player on this machine, and install ffmpeg',
  device:
    'look whether the device is there (ls /dev/video*), no other program has it, and this user is in the group video',
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
