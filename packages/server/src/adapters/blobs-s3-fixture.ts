import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import S3rver from 's3rver'
import { type BucketPlace, readBlobsUrl } from '../blobs-url.js'

// For tests: a server that speaks S3, with Node alone. It checks no signatures, lists no more than a
// thousand keys and takes no uploads back; what needs these is tested on another one, in the suite of the engines.

/** Any credentials are good; the SDK only wants some, in the environment of whoever uses it. */
export const ANY_CREDENTIALS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' }

/** A server with one bucket, `farm`, on a free port of 127.0.0.1. */
export interface S3Fixture {
  /** As in PRINTWARDEN_BLOBS_URL; a `prefix` makes a store of its own in the same bucket. */
  urlOf(prefix?: string): string
  placeOf(prefix?: string): BucketPlace
  /** Lays empty JPEG files into the bucket, behind its back. */
  lay(names: readonly string[]): Promise<void>
  /** Takes the bucket away with all that is in it, and makes it again. */
  removeBucket(): Promise<void>
  makeBucket(): Promise<void>
  /** Ends it, and starts it again on the same port with the same data. */
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

export async function startS3Fixture(): Promise<S3Fixture> {
  const directory = await mkdtemp(join(tmpdir(), 'printwarden-s3-'))
  const open = (port: number): S3rver =>
    new S3rver({ port, address: '127.0.0.1', directory, silent: true, configureBuckets: [{ name: 'farm' }] })
  let server = open(0)
  const { port } = await server.run()

  function urlOf(prefix?: string): string {
    return `s3://farm?endpoint=http://127.0.0.1:${port}${prefix === undefined ? '' : `&prefix=${prefix}`}`
  }
  return {
    urlOf,
    placeOf(prefix) {
      const place = readBlobsUrl(urlOf(prefix))
      if ('problem' in place) throw new Error(place.problem)
      return place
    },
    async lay(names) {
      for (const name of names) {
        const file = join(directory, 'farm', name)
        await mkdir(dirname(file), { recursive: true })
        await writeFile(`${file}._S3rver_object`, '')
        await writeFile(`${file}._S3rver_object.md5`, createHash('md5').digest('hex'))
        await writeFile(`${file}._S3rver_metadata.json`, '{"content-type":"image/jpeg"}')
      }
    },
    removeBucket: () => rm(join(directory, 'farm'), { recursive: true }),
    makeBucket: () => mkdir(join(directory, 'farm')),
    stop: () => server.close(),
    async start() {
      server = open(port)
      await server.run()
    },
    async close() {
      await server.close()
      await rm(directory, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
