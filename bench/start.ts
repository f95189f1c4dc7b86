import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.js'
import { rssMegabytes, show, spread, table } from './measure.js'
import { startBuilt } from './programs.js'

// From the start of the built server to its first 200, on an empty data folder and on one that is there; and its memory then.

const RUNS = 7

async function timeToFirst200(dataDir: string): Promise<{ ms: number; rss: number }> {
  const port = await freePort()
  const started = performance.now()
  const server = startBuilt('server', [], {
    PRINTWARDEN_HOST: '127.0.0.1',
    PRINTWARDEN_PORT: String(port),
    PRINTWARDEN_DATA_DIR: dataDir,
    PRINTWARDEN_LOG_LEVEL: 'error',
  })
  for (;;) {
    const status = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ status: code }) => code,
      () => 0,
    )
    if (status === 200) break
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const ms = performance.now() - started
  // The model is loaded behind the scenes; memory is told once it is.
  while (!(await fetch(`http://127.0.0.1:${port}/readyz`)).ok) await new Promise((resolve) => setTimeout(resolve, 50))
  const rss = rssMegabytes(server.pid)
  await server.stop()
  return { ms, rss }
}

const first: { ms: number; rss: number }[] = []
const again: { ms: number; rss: number }[] = []
for (let run = 0; run < RUNS; run += 1) {
  const folder = await mkdtemp(join(tmpdir(), 'printwarden-bench-'))
  first.push(await timeToFirst200(folder))
  again.push(await timeToFirst200(folder))
  await rm(folder, { recursive: true, force: true })
}
const row = (name: string, runs: { ms: number; rss: number }[]): string[] => [
  name,
  show(spread(runs.map(({ ms }) => ms)), 0),
  show(spread(runs.map(({ rss }) => rss)), 0),
]
console.log(`min / median / max of ${RUNS} starts\n`)
console.log(
  table(['data folder', 'ms to the first 200', 'RSS in MB when ready'], [row('empty', first), row('there', again)]),
)
