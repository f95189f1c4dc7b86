import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { z } from 'zod'
import { type Measured, startBench } from './programs.js'

// What the benchmarks of uploads share: a server that takes them, and G-code in a form that is made while it is sent.

const BOUNDARY = 'the-boundary-of-the-benchmark'

const Ready = z.object({ ready: z.object({ url: z.string(), token: z.string() }) })

/** A server that takes uploads. */
export interface UploadTarget {
  readonly name: string
  readonly program: Measured
  readonly url: string
  readonly token: string
}

/** Starts a program of this folder that takes uploads: the server, or the bare one. */
export async function startTarget(name: 'ours' | 'bare', file: string): Promise<UploadTarget> {
  const program = startBench(file, ['1'])
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
export async function upload({ url, token }: UploadTarget, bytes: number): Promise<number> {
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
export function peakMegabytes(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}
