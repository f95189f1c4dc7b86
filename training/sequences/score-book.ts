import { createReadStream, existsSync } from 'node:fs'
import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Findings } from '../../packages/server/src/detection/detector.js'
import { openEye } from './model-eye.js'
import { cachedPicture, type Wanted } from './picture-cache.js'

/** What the model said about one picture, as it is kept between runs. */
export interface Answer {
  readonly score: number
  /** The confidences of all of its findings, added up. */
  readonly sum: number
  /** [confidence, centre x, centre y, width, height], places in pixels of a picture of 640 by 480, the most confident first. */
  readonly boxes: readonly Box[]
  /** The score map, base64 of one byte a cell: 128 + 12 times its logit. */
  readonly map?: string
}

export type Box = readonly [confidence: number, x: number, y: number, width: number, height: number]

/** Unsure boxes beyond this many tell nothing. */
const KEPT_BOXES = 12

const round = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits

function logitByte(score: number): number {
  const inside = Math.min(1 - 1e-4, Math.max(1e-4, score))
  return Math.max(0, Math.min(255, Math.round(128 + 12 * Math.log(inside / (1 - inside)))))
}

function kept(findings: Findings, size: readonly [number, number]): Answer {
  const [kx, ky] = [640 / size[0], 480 / size[1]]
  return {
    score: round(findings.score, 4),
    sum: round(
      findings.detections.reduce((sum, [, confidence]) => sum + confidence, 0),
      4,
    ),
    boxes: findings.detections
      .slice(0, KEPT_BOXES)
      .map(([, confidence, [x, y, w, h]]) => [
        round(confidence, 4),
        Math.round(x * kx),
        Math.round(y * ky),
        Math.round(w * kx),
        Math.round(h * ky),
      ]),
    ...(findings.map === undefined
      ? {}
      : { map: Buffer.from(Uint8Array.from(findings.map, logitByte)).toString('base64') }),
  }
}

/** A picture that is to be scored. */
export interface Asked extends Wanted {
  /** Width and height in pixels. */
  readonly size: readonly [number, number]
}

/**
 * The server's own detector worker behind a cache: answers are kept by the model's SHA-256 and the picture's key, pictures by
 * their key alone, so that another model has only to look at them.
 */
export async function openScoreBook(modelPath: string, cacheDir: string) {
  const eye = await openEye(modelPath)
  const { modelHash } = eye
  const file = join(cacheDir, `answers-${modelHash.slice(0, 16)}.jsonl`)
  const known = new Map<string, Answer>()
  await mkdir(cacheDir, { recursive: true })
  if (existsSync(file)) {
    for await (const line of createInterface({ input: createReadStream(file) })) {
      const [key, answer]: [string, Answer] = JSON.parse(line)
      known.set(key, answer)
    }
  }
  let fresh = 0

  /** Looks at one picture with the model. Nothing is kept. */
  async function look(picture: Uint8Array, size: readonly [number, number]): Promise<Answer> {
    return kept(await eye.detect(picture), size)
  }

  /** The model's answer about one picture, from the cache if it is there. */
  async function ask(asked: Asked): Promise<Answer> {
    const before = known.get(asked.key)
    if (before !== undefined) return before
    const answer = await look(await cachedPicture(cacheDir, asked), asked.size)
    known.set(asked.key, answer)
    await appendFile(file, `${JSON.stringify([asked.key, answer])}\n`)
    fresh++
    return answer
  }

  return { modelHash, ask, look, close: eye.close, counts: () => ({ known: known.size, fresh }) }
}

export type ScoreBook = Awaited<ReturnType<typeof openScoreBook>>
