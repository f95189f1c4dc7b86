import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort, type Program, startProgram, until } from './processes.js'

// A server that speaks S3 and checks signatures (nanio, from PyPI), as a process with a bucket of its own in a temporary folder.

const VERSION = '0.1.7'
const INSTALL = fileURLToPath(new URL('install-nanio.sh', import.meta.url))

/** What it asks for, as the SDKs of S3 read them. */
export const S3_CREDENTIALS = { AWS_ACCESS_KEY_ID: 'farm-key', AWS_SECRET_ACCESS_KEY: 'a secret of this test' }

/** A store that a test may end and start again, as an operator would. */
export interface S3Program {
  /** Of its one bucket, as in PRINTWARDEN_BLOBS_URL. */
  readonly url: string
  /** For the environment of a server that uses it. */
  readonly env: Readonly<Record<string, string>>
  /** Where its bucket is: a file each, which may be laid there as well. */
  readonly folder: string
  /** The names of what is in the bucket, without what only says that the bucket can be written. */
  keys(): Promise<string[]>
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>
  /** Starts it again on the same port with the same data. */
  start(): Promise<void>
  close(): Promise<void>
}

export async function startS3(): Promise<S3Program> {
  const venv = join(homedir(), '.cache', 'printwarden', `nanio-${VERSION}`)
  execFileSync(INSTALL, [venv, VERSION], { stdio: ['ignore', 'ignore', 'inherit'] })
  const folder = await mkdtemp(join(tmpdir(), 'printwarden-s3-'))
  const bucket = join(folder, 'farm')
  await mkdir(bucket)
  const port = await freePort()
  const endpoint = `http://127.0.0.1:${port}`
  const begin = async (): Promise<Program> => {
    const program = startProgram(
      join(venv, 'bin', 'nanio'),
      ['serve', '--data-dir', folder, '--host', '127.0.0.1', '--port', String(port), '--no-access-log'],
      { NANIO_ACCESS_KEY: S3_CREDENTIALS.AWS_ACCESS_KEY_ID, NANIO_SECRET_KEY: S3_CREDENTIALS.AWS_SECRET_ACCESS_KEY },
    )
    const answers = () =>
      fetch(endpoint).then(
        () => true,
        () => false,
      )
    await Promise.race([
      until('the S3 server to answer', answers, 60_000),
      program.ended.then(() => Promise.reject(new Error(`the S3 server ended: ${program.output()}`))),
    ])
    return program
  }
  let program = await begin()
  const url = `s3://farm?endpoint=${endpoint}`
  return {
    url,
    folder: bucket,
    env: { ...S3_CREDENTIALS, PRINTWARDEN_BLOBS_URL: url },
    async keys() {
      const entries = await readdir(bucket, { recursive: true, withFileTypes: true })
      const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
      return files.map((file) => file.slice(bucket.length + 1)).filter((key) => !key.startsWith('.'))
    },
    kill: () => program.kill(),
    async start() {
      program = await begin()
    },
    async close() {
      await program.kill()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
