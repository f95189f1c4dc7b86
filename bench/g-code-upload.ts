import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { z } from 'zod'
import { cpuMicros, show, spread, table } from './measure.js'
import { type Measured, startBench } from './programs.js'

// Uploads of G-code: how long 20 MB take beside a bare route that writes the same form to the same disk, and how much memory eight
// uploads at once need, at 20 MB and at 200 MB: that must not grow with the file.

const MB = 1_000_000
const ROUNDS = 8
const AT_ONCE = 8
const BOUNDARY = 'the-boundary-of-the-benchmark'

const Ready = z.object({ ready: z.object({ url: z.string(), token: z.string() }) })

interface Target {
  readonly name: string
  readonly program: Measured
  readonly url: string
  readonly token: string
}

async function start(name: 'ours' | 'bare'): Promise<Target> {
  const program = startBench(name === 'ours' ? 'unlimited-server.ts' : 'bare-upload-server.mjs', ['1'])
  const { url, token } = await program.line((line) =>
    line.startsWith('{"ready"') ? Ready.parse(JSON.parse(line)).ready : undefined,
  )
  return { name, program, token, url: `${url}${name === 'ours' ? '/api/v1/g_code_files/' : '/upload/'}` }
}

/** A piece of what a slicer writes: lines of moves, no two files alike. */
function piece(): Buffer {
  const numbers = randomBytes(48_000)
  let text = ''
  for (let at = 0; text.length < 65_536; at += 3) {
    text += `G1 X${numbers[at]}.${numbers[at + 1]} Y${numbers[at + 2]}.25 E.0${numbers[at]}\n`
  }
  return Buffer.from(text.slice(0, 65_535) + '\n')
}

const PIECE = piece()

/** Sends a form with a file of this size, piece by piece, and resolves with the milliseconds until the answer. */
async function upload({ url, token }: Target, bytes: number): Promise<number> {
  const part = (name: string, rest = ''): string =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${rest}\r\n\r\n`
  const head = Buffer.from(`${part('filename')}bench.gcode\r\n${part('file', '; filename="bench.gcode"')}`)
  const tail = Buffer.from(`\r\n--${BOUNDARY}--\r\n`)
  const started = performance.now()
  const sent = request(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': head.length + bytes + tail.length,
    },
  })
  const answered = once(sent, 'response')
  sent.write(head)
  for (let left = bytes; left > 0; left -= PIECE.length) {
    if (!sent.write(left >= PIECE.length ? PIECE : PIECE.subarray(0, left))) await once(sent, 'drain')
  }
  sent.end(tail)
  const [response] = await answered
  response.resume()
  await once(response, 'end')
  if (response.statusCode !== 201) throw new Error(`an upload was answered ${response.statusCode}`)
  return performance.now() - started
}

/** The most memory the process ever held, in megabytes (Linux). */
function peakMegabytes(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

const targets = [await start('ours'), await start('bare')]
const times = new Map(
  targets.map(({ name }) => [name, { one: [] as number[], many: [] as number[], cpu: [] as number[] }]),
)
for (let round = -1; round < ROUNDS; round += 1) {
  for (const target of targets) {
    const cpu = cpuMicros(target.program.pid)
    const one = await upload(target, 20 * MB)
    const spent = (cpuMicros(target.program.pid) - cpu) / 1000
    const started = performance.now()
    await Promise.all(Array.from({ length: AT_ONCE }, () => upload(target, 20 * MB)))
    // The first round warms up.
    if (round < 0) continue
    times.get(target.name)?.one.push(one)
    times.get(target.name)?.cpu.push(spent)
    times.get(target.name)?.many.push((AT_ONCE * 20 * 1000) / (performance.now() - started))
  }
}
console.log(`min / median / max of ${ROUNDS} rounds, one server after the other in each\n`)
console.log(
  table(
    ['server', 'ms for 20 MB', 'CPU ms for 20 MB', `MB/s, ${AT_ONCE} at once`],
    [...times].map(([name, { one, cpu, many }]) => [name, show(spread(one)), show(spread(cpu)), show(spread(many))]),
  ),
)
for (const { program } of targets) await program.stop()

const rows: string[][] = []
for (const name of ['ours', 'bare'] as const) {
  for (const size of [20, 200]) {
    const target = await start(name)
    await upload(target, MB)
    const before = peakMegabytes(target.program.pid)
    await Promise.all(Array.from({ length: AT_ONCE }, () => upload(target, size * MB)))
    rows.push([name, `${size} MB`, before.toFixed(0), peakMegabytes(target.program.pid).toFixed(0)])
    await target.program.stop()
  }
}
console.log(`\npeak memory in MB, a fresh server each time\n`)
console.log(table(['server', `${AT_ONCE} at once of`, 'after one of 1 MB', 'after them'], rows))
