import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startPostgres, startRedis } from '../test/support/engine-programs.js'
import { freePort } from './free-port.js'
import type { Bench, Figure, LoadOptions, OpenBench } from './load/bench.js'
import { openStaticFloor } from './load/floors.js'
import { costOf } from './load/meter.js'
import { serverEnv } from './load/world.js'
import { type Measured, startBuilt } from './programs.js'

// From the start of the built server, with its detector, to its first 200: on empty records, and on those that are there then; and its memory once
// the model is loaded. Beside bare Fastify.

const LOOK_MS = 5

export const startBench: Bench = {
  name: 'start',
  about: 'from the start of the server, with its detector, to the first 200, and its memory when ready',
  open: openStart,
}

async function openStart(options: LoadOptions): Promise<OpenBench> {
  const folder = await mkdtemp(join(tmpdir(), 'printwarden-bench-'))
  const redis = options.engine === 'fleet' ? await startRedis() : undefined
  return {
    async run(): Promise<Figure[]> {
      const dataDir = await mkdtemp(join(folder, 'data-'))
      // Empty records each time.
      const postgres = redis === undefined ? undefined : await startPostgres({ isDurable: true })
      const engines = redis === undefined || postgres === undefined ? undefined : { redis, postgres }
      const env = serverEnv(dataDir, { roles: 'web,detector,jobs' }, engines)
      const floor = await timeOfFloor(join(folder, 'answers.json'))
      const first = await timeOfServer(env)
      const again = await timeOfServer(env)
      await postgres?.close()
      return [
        { key: 'start.empty', label: 'ms to the first 200, empty records', ours: first.ms, floor, digits: 0 },
        { key: 'start.ms', label: 'ms to the first 200', ours: again.ms, floor, digits: 0 },
        { key: 'start.rss', label: 'RSS when ready, with the detector, MB', ours: again.rss, digits: 0 },
      ]
    },
    async close() {
      await redis?.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function timeOfServer(env: Record<string, string>): Promise<{ ms: number; rss: number }> {
  const port = await freePort()
  const started = performance.now()
  const server = startBuilt('server', [], { ...env, PRINTWARDEN_PORT: String(port) })
  const ms = (await untilOk(server, `http://127.0.0.1:${port}/healthz`)) - started
  // The model is loaded behind the scenes; memory is told once it is.
  await untilOk(server, `http://127.0.0.1:${port}/readyz`)
  const rss = costOf([server.pid]).rssMb
  await server.stop()
  return { ms, rss }
}

async function timeOfFloor(file: string): Promise<number> {
  const started = performance.now()
  const floor = await openStaticFloor(file, [{ method: 'GET', path: '/healthz', text: '{}' }])
  await fetch(`${floor.url}/healthz`)
  const ms = performance.now() - started
  await floor.close()
  return ms
}

/** Resolves at the first 200, with when it came. */
async function untilOk({ child }: Measured, url: string): Promise<number> {
  while (child.exitCode === null) {
    const isOk = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isOk) return performance.now()
    await delay(LOOK_MS)
  }
  throw new Error(`the server ended with ${child.exitCode} before it answered`)
}
