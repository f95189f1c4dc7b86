import { webcamPicture } from './pictures.js'
import { finishPicture } from '../packages/agent/src/cameras/finish.js'
import { openSerialLink, type OpenSerialLink } from '../packages/agent/src/hosts/serial/client.js'
import { openSerialHost } from '../packages/agent/src/hosts/serial/host.js'
import { systemClock } from '../packages/agent/src/time/system-clock.js'
import type { Log } from '../packages/agent/src/log/log.js'

// The agent's serial host in a process of its own: `serial-agent.ts DEVICE FILE busy|quiet`. `busy` adds what the agent does beside
// it: a status as JSON with each report, and pictures of 1280×720 being turned without a pause. Prints FILE, then one line of JSON
// with the times from reading an `ok` to having written the next line, in ms, and ends.

const [device = '', file = '', load = 'quiet'] = process.argv.slice(2)
const silent = (): void => undefined
const log: Log = { debug: silent, info: silent, warn: console.error, error: console.error, child: () => log }

let readMs: number | undefined
const turns: number[] = []
const timed: OpenSerialLink = async (settings, listener) => {
  const link = await openSerialLink(settings, {
    ...listener,
    onData: (text) => {
      readMs = performance.now()
      listener.onData(text)
      readMs = undefined
    },
  })
  return {
    ...link,
    write: (text) => {
      link.write(text)
      if (readMs !== undefined) turns.push(performance.now() - readMs)
    },
  }
}

let bytes = 0
const over = new AbortController()
let isIdle: () => void = silent
const idle = new Promise<void>((resolve) => {
  isIdle = resolve
})
const host = openSerialHost(
  { host: 'serial', device, baud: 115_200, prints_from: 'agent' },
  {
    report: (report) => {
      bytes += JSON.stringify(report).length
      if (report.type === 'snapshot' && report.snapshot.phase === 'idle') isIdle()
      if (report.type === 'print' && report.event !== 'started') over.abort()
    },
    memory: { load: () => null, save: silent },
    clock: systemClock,
    log,
  },
  timed,
)
await idle
await host.print({ path: file, name: 'bench.gcode' })
const picture = load === 'busy' ? await webcamPicture(1280, 720, 1) : undefined
while (!over.signal.aborted) {
  if (picture) {
    const { bytes: turned } = await finishPicture(picture, { rotation: 90, flipH: false, flipV: false, maxSize: 1024 })
    bytes += turned.length
  } else await new Promise((resolve) => setTimeout(resolve, 50))
}
turns.sort((a, b) => a - b)
const at = (share: number): number => turns[Math.min(turns.length - 1, Math.floor(turns.length * share))] ?? Number.NaN
console.log(JSON.stringify({ turn: { p50: at(0.5), p99: at(0.99), max: turns.at(-1) }, bytes }))
await host.close()
