import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { cpuMicros, rssMegabytes, show, spread, table } from './measure.js'
import { webcamPicture } from './pictures.js'
import { startBench, startBuilt } from './programs.js'

// What the agent costs its host: memory and share of a core, at rest and while printing, with pictures passed through as they
// are and with pictures that must be turned. The server is real; the printer is the virtual one.

const SETTLE_MS = 8000
const WINDOW_MS = 20_000
const RUNS = 3

const Ready = z.object({ ready: z.object({ url: z.string(), authTokens: z.array(z.string()) }) })

const CASES = [
  { name: 'at rest', autostart: false, rotation: 0 },
  { name: 'printing, pictures passed through (every 10 s)', autostart: true, rotation: 0 },
  { name: 'printing, pictures turned by 90° (every 10 s)', autostart: true, rotation: 90 },
]

const server = startBench('unlimited-server.ts', ['1'])
const { url, authTokens } = await server.line((line) =>
  line.startsWith('{"ready"') ? Ready.safeParse(JSON.parse(line)).data?.ready : undefined,
)
const folder = await mkdtemp(join(tmpdir(), 'printwarden-bench-'))
await mkdir(join(folder, 'pictures'))
for (let index = 0; index < 3; index += 1) {
  await writeFile(join(folder, `pictures/${index}.jpg`), await webcamPicture(1280, 720, index))
}

async function measure({ autostart, rotation }: (typeof CASES)[number]): Promise<{ rss: number; core: number }> {
  const config = join(folder, 'printwarden-agent.cfg')
  await writeFile(
    config,
    `[server]
url: ${url}

[printer bench]
auth_token: ${authTokens[0]}
host: virtual
duration: 3600
heating: 0
autostart: ${autostart}

[camera bench bed]
pictures: ${join(folder, 'pictures')}
rotation: ${rotation}
interval: 10
`,
  )
  const agent = startBuilt('agent', ['run', '--config', config], { PRINTWARDEN_LOG_LEVEL: 'error' })
  await sleep(SETTLE_MS)
  const before = cpuMicros(agent.pid)
  let rss = 0
  for (let waited = 0; waited < WINDOW_MS; waited += 500) {
    await sleep(500)
    rss = Math.max(rss, rssMegabytes(agent.pid))
  }
  const core = (cpuMicros(agent.pid) - before) / (WINDOW_MS * 10)
  await agent.stop()
  await rm(join(folder, 'printwarden-agent.state'), { recursive: true, force: true })
  return { rss, core }
}

const rows: string[][] = []
for (const one of CASES) {
  const runs: { rss: number; core: number }[] = []
  for (let run = 0; run < RUNS; run += 1) runs.push(await measure(one))
  rows.push([one.name, show(spread(runs.map(({ rss }) => rss)), 0), show(spread(runs.map(({ core }) => core)), 2)])
}
console.log(`highest RSS and mean CPU over ${WINDOW_MS / 1000} s; min / median / max of ${RUNS} runs\n`)
console.log(table(['agent', 'RSS in MB', '% of a core'], rows))
await server.stop()
await rm(folder, { recursive: true, force: true })

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
