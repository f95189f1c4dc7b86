import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDiskBlobs } from '../packages/server/src/adapters/blobs-disk.js'
import { redisLookQueue } from '../packages/server/src/adapters/look-queue-redis.js'
import { openRedis } from '../packages/server/src/adapters/redis-connection.js'
import { startRedis } from '../test/support/engine-programs.js'
import { percentile, table } from './measure.js'
import { webcamPicture } from './pictures.js'

// How the bytes of a picture go from the node that took it to the detector: in the queue's entry in Redis, or as a blob that the detector
// reads (the node has written it already) with an entry that only names it. `npx tsx --conditions=x-source bench/look-transport.ts`

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3)
const FRAMES = Number(process.env['BENCH_FRAMES'] ?? 200)
const silent = { error() {}, warn() {}, info() {}, debug() {} }

const folder = await mkdtemp(join(tmpdir(), 'printwarden-bench-'))
const redisProgram = await startRedis()
const redis = await openRedis(redisProgram.url, silent)
const blobs = await openDiskBlobs(folder)
const queue = redisLookQueue(redis)

/** One picture through the queue; `read` is what the detector does besides taking the entry. */
async function send(picture: Uint8Array, key: string, read: (key: string) => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await queue.offer({ ticket: randomUUID(), from: 'bench', key, group: key, at: Date.now(), options: '{}', picture })
  const taken = await queue.take()
  await read(key)
  if (taken !== undefined) await queue.release(taken)
  return performance.now() - begun
}

const rows: string[][] = []
for (const size of [
  { width: 640, height: 480 },
  { width: 1920, height: 1080 },
]) {
  const picture = await webcamPicture(size.width, size.height, 1)
  const times = { redis: [] as number[], blob: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    for (let frame = 0; frame < FRAMES; frame++) {
      const key = `${size.width}/${round}-${frame}.jpg`
      await blobs.put(key, picture, 'image/jpeg')
      times.redis.push(await send(picture, key, async () => {}))
      times.blob.push(await send(Buffer.from(key), key, (name) => blobs.get(name)))
      await blobs.remove(key)
    }
  }
  for (const [way, ms] of Object.entries(times)) {
    const name = `${size.width}x${size.height}, ${Math.round(picture.length / 1024)} KiB`
    rows.push([name, way, percentile(ms, 0.5).toFixed(2), percentile(ms, 0.95).toFixed(2)])
  }
}
console.log(table(['picture', 'bytes by', 'p50 ms', 'p95 ms'], rows))
await redis.close()
await redisProgram.close()
await rm(folder, { recursive: true, force: true })
