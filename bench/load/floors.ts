import { writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { type Measured, startPlain } from '../programs.js'
import { requireLoopback } from './loopback.js'

/** A program that does the same over the same library and nothing else: what the server is compared with. */
export interface Floor {
  readonly url: string
  readonly pid: number
  close(): Promise<void>
}

/** `ws` and `JSON.parse`; `nodeArgs` are for Node itself. */
export function openWebsocketFloor(nodeArgs: readonly string[] = []): Promise<Floor> {
  return opened(startPlain('floors/websockets.mjs', [], nodeArgs))
}

/** A multipart form whose file is written to the disk. */
export function openUploadFloor(): Promise<Floor> {
  return opened(startPlain('bare-upload-server.mjs'))
}

/** One answer, given at once whatever is asked. */
export interface StaticAnswer {
  readonly method: string
  readonly path: string
  readonly text: string
}

/** Fastify with static answers, read from `file`, which is written here. */
export async function openStaticFloor(file: string, answers: readonly StaticAnswer[]): Promise<Floor> {
  await writeFile(file, JSON.stringify(answers))
  return opened(startPlain('bare-rest-server.mjs', [file]))
}

const Ready = z.object({ ready: z.object({ url: z.string() }) })

async function opened(program: Measured): Promise<Floor> {
  const { ready } = await program.line((line) =>
    line.startsWith('{"ready"') ? Ready.safeParse(JSON.parse(line)).data : undefined,
  )
  requireLoopback(ready.url)
  return { url: ready.url, pid: program.pid, close: () => program.stop() }
}
