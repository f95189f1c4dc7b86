import { loadavg } from 'node:os'
import { z } from 'zod'
import { ANY_CREDENTIALS } from '../packages/server/src/adapters/blobs-s3-fixture.js'
import { peakMegabytes, startTarget, upload } from './g-code-form.js'
import { table } from './measure.js'
import { startBench } from './programs.js'

// Uploads that the server passes on to a bucket: how much memory eight at once need, at 20 MB and at 200 MB. It must not grow with the file.

const MB = 1_000_000
const AT_ONCE = 8

// A server of S3 in a process of its own; the other one is told of it as operators do it.
const s3 = startBench('blobs-s3-server.ts')
const url = await s3.line((line) =>
  line.startsWith('{"ready"') ? z.object({ ready: z.string() }).parse(JSON.parse(line)).ready : undefined,
)
Object.assign(process.env, ANY_CREDENTIALS, { PRINTWARDEN_BLOBS_URL: url })

const rows: string[][] = []
try {
  for (const size of [20, 200]) {
    const target = await startTarget('ours', 'unlimited-server.ts')
    await upload(target, MB)
    const before = peakMegabytes(target.program.pid)
    const started = performance.now()
    await Promise.all(Array.from({ length: AT_ONCE }, () => upload(target, size * MB)))
    const seconds = (performance.now() - started) / 1000
    rows.push([`${size} MB`, ...[before, peakMegabytes(target.program.pid), seconds].map((value) => value.toFixed(0))])
    await target.program.stop()
  }
} finally {
  await s3.stop()
}
console.log(`peak memory of the server in MB, a fresh one each time; load ${loadavg()[0]?.toFixed(1)} at the end\n`)
console.log(table([`${AT_ONCE} at once of`, 'after one of 1 MB', 'after them', 's'], rows))
