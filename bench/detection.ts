import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import type { WebSocket } from 'ws'
import { z } from 'zod'
import { openDiskBlobs } from '../packages/server/src/adapters/blobs-disk.js'
import { SHIPPED_MODEL } from '../packages/server/src/adapters/detector-onnx.js'
import { loadModel } from '../packages/server/src/adapters/detector-onnx-model.js'
import { decodeLooks } from '../packages/server/src/adapters/detector-onnx-output.js'
import { decodeForModel, drawTagged } from '../packages/server/src/adapters/detector-onnx-picture.js'
import { cpuMicros, percentile, rssMegabytes, show, spread, table } from './measure.js'
import { webcamPicture } from './pictures.js'
import { type Measured, startBench } from './programs.js'
import { connectAgents, statusText } from './status-load.js'

// A frame's way to its prediction: what each stage costs, beside onnxruntime and sharp alone; what a core can watch; and what happens when
// twice as much comes as can be looked at. Needs a quiet machine: figures of a busy one are printed all the same, with their spread.

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3)
const FRAMES = Number(process.env['BENCH_FRAMES'] ?? 60)
const PRINTERS = 50
const OVERLOAD_SECONDS = Number(process.env['BENCH_SECONDS'] ?? 15)
const SIZE = { width: 640, height: 480 }

/** The runtime, as the server has it: what is used of it here. */
interface Runtime {
  readonly InferenceSession: { create(path: string, options: object): Promise<Session> }
  readonly Tensor: new (type: 'float32', data: Float32Array, dims: readonly number[]) => object
}
interface Session {
  readonly inputNames: readonly string[]
  run(feeds: Readonly<Record<string, object>>): Promise<unknown>
  release(): Promise<void>
}
const ort = createRequire(new URL('../packages/server/package.json', import.meta.url))('onnxruntime-node') as Runtime

interface Cost {
  readonly ms: number
  readonly cpuMs: number
}

/** Wall and CPU time of one of `count` runs, in milliseconds. All threads of this process count. */
async function costOf(count: number, work: (index: number) => Promise<unknown>): Promise<Cost> {
  const cpu = process.cpuUsage()
  const begun = performance.now()
  for (let index = 0; index < count; index += 1) await work(index)
  const ms = (performance.now() - begun) / count
  const { user, system } = process.cpuUsage(cpu)
  return { ms, cpuMs: (user + system) / 1000 / count }
}

const pictures = await Promise.all(Array.from({ length: 8 }, (_, seed) => webcamPicture(SIZE.width, SIZE.height, seed)))
const pictureOf = (index: number): Buffer => pictures[index % pictures.length] ?? Buffer.alloc(0)

// 1. The stages, and the same work without us.

sharp.concurrency(1)
sharp.cache(false)
const model = await loadModel(SHIPPED_MODEL)
const [width, height] = model.form.size
const session = await ort.InferenceSession.create(SHIPPED_MODEL, {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  logSeverityLevel: 3,
})

async function bareDecode(picture: Buffer): Promise<Float32Array> {
  const rgb = await sharp(picture).resize(width, height, { fit: 'fill' }).removeAlpha().raw().toBuffer()
  const planes = new Float32Array(rgb.length)
  const size = width * height
  for (let i = 0; i < rgb.length; i += 1) planes[(i % 3) * size + Math.floor(i / 3)] = (rgb[i] ?? 0) / 255
  return planes
}

async function bareRun(planes: Float32Array): Promise<unknown> {
  return session.run({ [session.inputNames[0] ?? '']: new ort.Tensor('float32', planes, [1, 3, height, width]) })
}

const folder = await mkdtemp(join(tmpdir(), 'printwarden-bench-stages-'))
const blobs = await openDiskBlobs(folder)
const input = await decodeForModel(pictureOf(0), model.form.size, {})
const planes = input.views[0]?.planes ?? new Float32Array()
const outputs = await model.run(planes)
const boxes = [{ left: 200, top: 150, right: 400, bottom: 330 }]
const tagged = await drawTagged(pictureOf(0), boxes)
const region = { x: 0, y: 0, width: 1, height: 1 }

const STAGES: Record<string, (index: number) => Promise<unknown>> = {
  'bare decode (sharp)': (index) => bareDecode(pictureOf(index)),
  'bare inference (onnxruntime)': () => bareRun(planes),
  decode: (index) => decodeForModel(pictureOf(index), model.form.size, {}),
  inference: () => model.run(planes),
  post: async () => decodeLooks([{ outputs, region }], model.form, input),
  'tag (frames with a finding)': (index) => drawTagged(pictureOf(index), boxes),
  'store the tagged picture': (index) => blobs.put(`printers/1/tagged/${index}.jpg`, tagged, 'image/jpeg'),
}
const stages = new Map<string, Cost[]>(Object.keys(STAGES).map((name) => [name, []]))
for (const work of Object.values(STAGES)) await costOf(5, work)
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, work] of Object.entries(STAGES)) stages.get(name)?.push(await costOf(FRAMES, work))
}
await rm(folder, { recursive: true, force: true })
await session.release()

const cpuOf = (name: string): number => spread((stages.get(name) ?? []).map(({ cpuMs }) => cpuMs)).median
const bare = cpuOf('bare decode (sharp)') + cpuOf('bare inference (onnxruntime)')
console.log(
  `Stages of a frame of ${SIZE.width} by ${SIZE.height}, milliseconds, min / median / max of ${ROUNDS} rounds of ${FRAMES}\n`,
)
console.log(
  table(
    ['stage', 'time', 'CPU'],
    [...stages].map(([name, costs]) => [
      name,
      show(spread(costs.map(({ ms }) => ms)), 2),
      show(spread(costs.map(({ cpuMs }) => cpuMs)), 2),
    ]),
  ),
)

// 2. The whole way in a real server: the CPU time that a picture costs with detection, less what its upload costs without.

const Ready = z.object({ ready: z.object({ url: z.string(), token: z.string(), authTokens: z.array(z.string()) }) })
const FrameLine = z.object({ frame: z.record(z.string(), z.number()) })
type Frame = z.infer<typeof FrameLine>['frame']

interface Running {
  readonly server: Measured
  readonly url: string
  readonly token: string
  readonly authTokens: readonly string[]
  readonly agents: readonly WebSocket[]
  readonly frames: Frame[]
}

async function start(printers: number): Promise<Running> {
  const server = startBench('unlimited-server.ts', [String(printers), '--detect'])
  const { url, token, authTokens } = await server.line((line) =>
    line.startsWith('{"ready"') ? Ready.safeParse(JSON.parse(line)).data?.ready : undefined,
  )
  const agents = await connectAgents(url, authTokens)
  for (const agent of agents) agent.send(statusText(1, { event_type: 'PrintStarted', id: randomUUID() }))
  for (;;) {
    if ((await fetch(`${url}/readyz`)).ok) break
    await sleep(100)
  }
  const frames: Frame[] = []
  server.onLine((line) => {
    if (line.startsWith('{"frame"')) frames.push(FrameLine.parse(JSON.parse(line)).frame)
  })
  return { server, url, token, authTokens, agents, frames }
}

const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

/** Uploads a picture for one printer; false when the server put it off. */
async function upload({ url, authTokens }: Running, printer: number, picture: Buffer): Promise<boolean> {
  const form = new FormData()
  form.append('pic', new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }), 'snapshot.jpg')
  const headers = { authorization: `Bearer ${authTokens[printer % authTokens.length] ?? ''}` }
  const response = await fetch(`${url}/api/v1/agent/pic/`, { method: 'POST', headers, body: form })
  await response.arrayBuffer()
  if (!response.ok && response.status !== 429) throw new Error(`the upload answered ${response.status}`)
  return response.ok
}

async function watch({ url, token }: Running, isWatched: boolean): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const printers = z
    .array(z.object({ id: z.number() }))
    .parse(await (await fetch(`${url}/api/v1/printers/`, { headers })).json())
  const body = JSON.stringify({ watching_enabled: isWatched })
  for (const { id } of printers) await fetch(`${url}/api/v1/printers/${id}/`, { method: 'PATCH', headers, body })
}

async function framesReach({ frames }: Running, count: number): Promise<void> {
  const givesUp = performance.now() + 30_000
  while (frames.length < count) {
    if (performance.now() > givesUp) throw new Error('a picture was not analysed')
    await sleep(2)
  }
}

/** CPU milliseconds of the server for each of `FRAMES` pictures, one at a time. */
async function cpuPerPicture(running: Running, isWatched: boolean): Promise<number> {
  await watch(running, isWatched)
  running.frames.length = 0
  const idle = await idleCpuPerMs(running)
  const begun = performance.now()
  const before = cpuMicros(running.server.pid)
  for (let index = 0; index < FRAMES; index += 1) {
    // A printer that is not heard of counts as away after a while.
    running.agents[index % running.agents.length]?.send(statusText(index + 3))
    while (!(await upload(running, index, pictureOf(index)))) await sleep(50)
    if (isWatched) await framesReach(running, index + 1)
  }
  await sleep(300)
  // Where the machine is busy, a picture takes long, and what the server does anyway meanwhile would count as the picture's.
  const meanwhile = idle * (performance.now() - begun)
  return ((cpuMicros(running.server.pid) - before) / 1000 - meanwhile) / FRAMES
}

/** What the server does when nothing comes, in milliseconds of CPU time a millisecond. */
async function idleCpuPerMs({ server }: Running): Promise<number> {
  const before = cpuMicros(server.pid)
  const begun = performance.now()
  await sleep(3000)
  return (cpuMicros(server.pid) - before) / 1000 / (performance.now() - begun)
}

const quiet = await start(8)
for (const agent of quiet.agents) agent.send(statusText(2))
const withDetection: number[] = []
const withoutDetection: number[] = []
const frames: Frame[] = []
await cpuPerPicture(quiet, true)
for (let round = 0; round < ROUNDS; round += 1) {
  withoutDetection.push(await cpuPerPicture(quiet, false))
  withDetection.push(await cpuPerPicture(quiet, true))
  frames.push(...quiet.frames)
}
const quietRss = rssMegabytes(quiet.server.pid)
for (const agent of quiet.agents) agent.terminate()
await quiet.server.stop()

const path = spread(withDetection.map((cpu, round) => cpu - (withoutDetection[round] ?? 0)))
const framesPerSecond = 1000 / path.median
console.log('\nThe whole way in the server, CPU milliseconds a picture, min / median / max\n')
console.log(
  table(
    ['what', 'CPU'],
    [
      ['upload alone (not watched)', show(spread(withoutDetection))],
      ['upload and detection', show(spread(withDetection))],
      ['detection alone, the difference', show(path)],
      ['bare inference and decode, of the same run', bare.toFixed(1)],
      ['whole way / bare', (path.median / bare).toFixed(2)],
      ['frames a second and core, detection alone', framesPerSecond.toFixed(1)],
      ['printers a core, one frame in 10 s, detection alone', (framesPerSecond * 10).toFixed(0)],
      ['printers a core, one frame in 10 s, uploads included', (10_000 / spread(withDetection).median).toFixed(0)],
    ],
  ),
)
const partNames = Object.keys(frames[0] ?? {})
console.log('\nIts parts by the clock, milliseconds\n')
console.log(
  table(
    ['part', 'min / median / max'],
    partNames.map((name) => [name, show(spread(frames.map((frame) => frame[name] ?? Number.NaN)))]),
  ),
)

// 3. Twice as much as can be looked at.

const wall = spread(
  frames.map(({ decodeMs = 0, inferenceMs = 0, drawMs = 0 }) => decodeMs + inferenceMs + drawMs),
).median
const offered = 2 * (1000 / wall)
const busy = await start(PRINTERS)
await watch(busy, true)
const overload: string[][] = []
for (let round = 0; round < ROUNDS; round += 1) {
  busy.frames.length = 0
  const cpu = cpuMicros(busy.server.pid)
  const begun = performance.now()
  const underWay = new Set<Promise<unknown>>()
  let sent = 0
  while (performance.now() - begun < OVERLOAD_SECONDS * 1000) {
    if (sent % 100 === 0) for (const agent of busy.agents) agent.send(statusText(sent + 3))
    const due = ((performance.now() - begun) / 1000) * offered
    if (sent >= due || underWay.size > 100) {
      await sleep(2)
      continue
    }
    const one: Promise<unknown> = upload(busy, sent, pictureOf(sent)).finally(() => underWay.delete(one))
    underWay.add(one)
    sent += 1
  }
  await Promise.all(underWay)
  const seconds = (performance.now() - begun) / 1000
  const totals = busy.frames.map(({ totalMs = 0 }) => totalMs)
  overload.push([
    String(round + 1),
    (sent / seconds).toFixed(1),
    (busy.frames.length / seconds).toFixed(1),
    percentile(totals, 0.5).toFixed(0),
    percentile(totals, 0.99).toFixed(0),
    ((cpuMicros(busy.server.pid) - cpu) / 1e6 / seconds).toFixed(2),
    rssMegabytes(busy.server.pid).toFixed(0),
  ])
}
const metrics = await (await fetch(`${busy.url}/metrics`)).text()
for (const agent of busy.agents) agent.terminate()
await busy.server.stop()

console.log(
  `\nOverload: ${PRINTERS} printers send twice what can be looked at (${offered.toFixed(0)} a second), ${OVERLOAD_SECONDS} s a round\n`,
)
console.log(
  table(['round', 'sent/s', 'analysed/s', 'latency p50 (ms)', 'latency p99 (ms)', 'cores used', 'RSS (MB)'], overload),
)
console.log(`\nRSS with 8 printers at rest: ${quietRss.toFixed(0)} MB`)
console.log(
  metrics
    .split('\n')
    .filter((line) => line.startsWith('printwarden_detection_frames_total'))
    .join('\n'),
)
