import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { z } from 'zod'
import { openBlobs } from '../packages/server/src/adapters/blobs-open.js'
import { ANY_CREDENTIALS } from '../packages/server/src/adapters/blobs-s3-fixture.js'
import { readBlobsUrl } from '../packages/server/src/blobs-url.js'
import { show, spread, table } from './measure.js'
import { startBench } from './programs.js'

// Blobs in a bucket and on the disk: how long a picture of 100 kB and a file of 20 MB take, beside bare calls of the SDK on the same
// server and of Node on the same disk; and how much memory eight uploads of 200 MB need that come at once.

const ROUNDS = Number(process.env['BENCH_RUNS'] ?? 15)
const UPLOAD_BYTES = Number(process.env['BENCH_UPLOAD_MB'] ?? 200) * 1e6
const PICTURE = Buffer.alloc(100_000, 'a picture ')
const FILE = Buffer.alloc(20_000_000, 'G1 X10.25 Y20.5\n')
const BINARY = 'application/octet-stream'
const silent = { error() {}, warn() {}, info() {}, debug() {} }

Object.assign(process.env, ANY_CREDENTIALS)
const s3 = startBench('blobs-s3-server.ts')
const url = await s3.line((line) =>
  line.startsWith('{"ready"') ? z.object({ ready: z.string() }).parse(JSON.parse(line)).ready : undefined,
)
const folder = await mkdtemp(join(tmpdir(), 'printwarden-bench-blobs-'))

/** Both ways of one thing, in milliseconds each. */
interface Compared {
  readonly name: string
  readonly ours: () => Promise<unknown>
  readonly bare: () => Promise<unknown>
}

/** As a request brings it: in pieces, and how many is not known. */
const pieces = (bytes: Buffer): Readable =>
  Readable.from(
    Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, index) =>
      bytes.subarray(index * 65_536, (index + 1) * 65_536),
    ),
  )

async function drain(body: Readable | undefined): Promise<void> {
  for await (const chunk of body ?? []) void chunk
}

async function inBucket(): Promise<Compared[]> {
  const place = readBlobsUrl(url)
  if ('problem' in place || place.endpoint === undefined) throw new Error('no place')
  const store = await openBlobs(`${url}&prefix=ours`, silent)
  const client = new S3Client({ endpoint: place.endpoint, region: 'us-east-1', forcePathStyle: true })
  const at = (Key: string) => ({ Bucket: place.bucket, Key })
  const bareGet = async (key: string): Promise<void> => {
    const { Body } = await client.send(new GetObjectCommand(at(key)))
    if (Body instanceof Readable) await drain(Body)
  }
  return [
    {
      name: 'S3: put 100 kB',
      ours: () => store.put('a.jpg', PICTURE, 'image/jpeg'),
      bare: () => client.send(new PutObjectCommand({ ...at('a.jpg'), Body: PICTURE })),
    },
    { name: 'S3: get 100 kB', ours: () => store.get('a.jpg'), bare: () => bareGet('a.jpg') },
    {
      name: 'S3: stream in 20 MB',
      ours: () => store.putStream('a.bin', pieces(FILE), { contentType: BINARY, maxBytes: 1e9 }),
      bare: () => client.send(new PutObjectCommand({ ...at('a.bin'), Body: FILE })),
    },
    {
      name: 'S3: stream out 20 MB',
      ours: async () => drain((await store.stream('a.bin'))?.body),
      bare: () => bareGet('a.bin'),
    },
  ]
}

async function onDisk(): Promise<Compared[]> {
  const store = await openBlobs(join(folder, 'blobs'), silent)
  const bare = (name: string): string => join(folder, name)
  return [
    {
      name: 'disk: put 100 kB',
      ours: () => store.put('a.jpg', PICTURE, 'image/jpeg'),
      bare: () => writeFile(bare('a.jpg'), PICTURE),
    },
    { name: 'disk: get 100 kB', ours: () => store.get('a.jpg'), bare: () => readFile(bare('a.jpg')) },
    {
      name: 'disk: stream in 20 MB',
      ours: () => store.putStream('a.bin', pieces(FILE), { contentType: BINARY, maxBytes: 1e9 }),
      bare: () => writeFile(bare('a.bin'), FILE, { flush: true }),
    },
    {
      name: 'disk: stream out 20 MB',
      ours: async () => drain((await store.stream('a.bin'))?.body),
      bare: () => readFile(bare('a.bin')),
    },
  ]
}

const timeOf = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now()
  await work()
  return performance.now() - started
}

async function row({ name, ours, bare }: Compared): Promise<string[]> {
  const times: { ours: number[]; bare: number[]; ratio: number[] } = { ours: [], bare: [], ratio: [] }
  for (let round = -2; round < ROUNDS; round += 1) {
    const [mine, floor] = [await timeOf(ours), await timeOf(bare)]
    // The first rounds warm up.
    if (round < 0) continue
    times.ours.push(mine)
    times.bare.push(floor)
    times.ratio.push(mine / floor)
  }
  return [name, show(spread(times.ours)), show(spread(times.bare)), show(spread(times.ratio), 2)]
}

/** How much the most memory of this process grows while eight files arrive at once, in megabytes. */
async function memoryOfUploads(): Promise<{ before: number; most: number }> {
  const store = await openBlobs(`${url}&prefix=memory`, silent)
  const before = process.memoryUsage().rss
  let most = before
  async function* large() {
    for (let sent = 0; sent < UPLOAD_BYTES; sent += 65_536) {
      most = Math.max(most, process.memoryUsage.rss())
      yield Buffer.alloc(65_536, sent)
    }
  }
  const options = { contentType: BINARY, maxBytes: 1e9 }
  await Promise.all(
    Array.from({ length: 8 }, (_, index) => store.putStream(`${index}.bin`, Readable.from(large()), options)),
  )
  return { before: before / 1e6, most: most / 1e6 }
}

try {
  const { before, most } = await memoryOfUploads()
  console.log(
    `eight uploads of ${UPLOAD_BYTES / 1e6} MB at once: ${before.toFixed(0)} MB resident before, at most ${most.toFixed(0)} MB during\n`,
  )
  console.log(`milliseconds, min / median / max of ${ROUNDS} rounds, ours and bare in turn\n`)
  const rows: string[][] = []
  for (const compared of [...(await onDisk()), ...(await inBucket())]) rows.push(await row(compared))
  console.log(table(['what', 'ours', 'bare', 'ours/bare'], rows))
} finally {
  await s3.stop()
  await rm(folder, { recursive: true, force: true })
}
