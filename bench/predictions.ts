import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { show, spread, table } from './measure.js'
import { webcamPicture } from './pictures.js'
import { startBench } from './programs.js'
import { connectAgents, statusText } from './status-load.js'

// From an uploaded snapshot to its prediction, and where the time goes. One picture at a time: what one printer sees.

const PICTURES = 40
const SIZES = [
  { width: 640, height: 480 },
  { width: 1280, height: 720 },
]

const Ready = z.object({ ready: z.object({ url: z.string(), authTokens: z.array(z.string()) }) })
const FrameLine = z.object({ frame: z.record(z.string(), z.number()) })

const server = startBench('unlimited-server.ts', ['1', '--detect'])
const { url, authTokens } = await server.line((line) =>
  line.startsWith('{"ready"') ? Ready.safeParse(JSON.parse(line)).data?.ready : undefined,
)
const [agent] = await connectAgents(url, authTokens)
if (agent === undefined) throw new Error('no agent')
agent.send(statusText(1, { event_type: 'PrintStarted', id: randomUUID() }))
await untilReady(url)

const waiting: ((times: Record<string, number>) => void)[] = []
server.onLine((line) => {
  if (line.startsWith('{"frame"')) waiting.shift()?.(FrameLine.parse(JSON.parse(line)).frame)
})

const rows: string[][] = []
for (const { width, height } of SIZES) {
  const parts: Record<string, number>[] = []
  const answers: number[] = []
  let bytes = 0
  for (let index = 0; index < PICTURES; index += 1) {
    const picture = await webcamPicture(width, height, index)
    bytes = picture.length
    const analysed = new Promise<Record<string, number>>((resolve) => waiting.push(resolve))
    agent.send(statusText(index + 2))
    const started = performance.now()
    await upload(picture)
    answers.push(performance.now() - started)
    parts.push({ ...(await analysed), fromUpload: performance.now() - started })
  }
  const names = Object.keys(parts[0] ?? {})
  const cells = names.map((name) => `${name} ${show(spread(parts.map((part) => part[name] ?? Number.NaN)))}`)
  rows.push([`${width}×${height}, ${(bytes / 1024).toFixed(0)} KiB`, show(spread(answers)), cells.join('; ')])
}
console.log(`milliseconds, min / median / max of ${PICTURES} pictures\n`)
console.log(table(['picture', 'answer to the upload', 'until the prediction, and its parts'], rows))
agent.terminate()
await server.stop()

async function upload(picture: Buffer): Promise<void> {
  const form = new FormData()
  form.append('pic', new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }), 'snapshot.jpg')
  for (;;) {
    const response = await fetch(`${url}/api/v1/agent/pic/`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${authTokens[0]}` },
      body: form,
    })
    if (response.ok) return
    if (response.status !== 429) throw new Error(`${response.status} ${await response.text()}`)
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

async function untilReady(origin: string): Promise<void> {
  for (;;) {
    if ((await fetch(`${origin}/readyz`)).ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
