import { existsSync } from 'node:fs'
import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LookOptions } from '../../packages/server/src/detection/cameras/look-options.js'
import type { Findings } from '../../packages/server/src/detection/detector.js'
import { openEye } from './model-eye.js'
import { cachedPicture, type Wanted } from './picture-cache.js'

// All that the server's detector says of a picture, looked at in one way or another, kept between runs by the model's SHA-256.

const numbers = (values: Float32Array | undefined): string | undefined =>
  values && Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('base64')

const floats = (text: string): Float32Array => new Float32Array(new Uint8Array(Buffer.from(text, 'base64')).buffer)

function textOf({ map, embedding, thumb, ...rest }: Findings): string {
  const bytes = thumb && Buffer.from(thumb).toString('base64')
  return JSON.stringify({ ...rest, tagged: null, map: numbers(map), embedding: numbers(embedding), thumb: bytes })
}

function findingsIn(text: string): Findings {
  const { map, embedding, thumb, ...rest } = JSON.parse(text)
  return {
    ...rest,
    tagged: null,
    ...(map === undefined ? {} : { map: floats(map) }),
    ...(embedding === undefined ? {} : { embedding: floats(embedding) }),
    ...(thumb === undefined ? {} : { thumb: new Uint8Array(Buffer.from(thumb, 'base64')) }),
  }
}

export async function openLookBook(modelPath: string, cacheDir: string) {
  const eye = await openEye(modelPath)
  const file = join(cacheDir, `looks-${eye.modelHash.slice(0, 16)}.tsv`)
  await mkdir(cacheDir, { recursive: true })
  const lines = existsSync(file) ? (await readFile(file, 'utf8')).split('\n') : []
  const known = new Map(lines.map((line) => line.split('\t') as [string, string]))

  /** What the model finds in a picture that is looked at in this way. */
  async function look(wanted: Wanted, options: LookOptions): Promise<Findings> {
    const key = `${wanted.key} ${JSON.stringify(options)}`
    const before = known.get(key)
    if (before !== undefined) return findingsIn(before)
    const findings = await eye.detect(await cachedPicture(cacheDir, wanted), options)
    await appendFile(file, `${key}\t${textOf(findings)}\n`)
    return findings
  }

  return { modelHash: eye.modelHash, look, close: eye.close }
}

export type LookBook = Awaited<ReturnType<typeof openLookBook>>
