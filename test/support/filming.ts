import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { sleep } from './processes.js'
import type { SteadyPrinter } from './steady-printer.js'

// Cameras of printers that a test makes up.

/** What cameras show: never quite the same twice, or they would count as frozen. */
export type Picture = Uint8Array<ArrayBuffer>

async function shotsOf(scene: Buffer): Promise<Picture[]> {
  const light = Array.from({ length: 12 }, (_, number) => 0.95 + number * 0.01)
  return Promise.all(
    light.map(async (brightness) => new Uint8Array(await sharp(scene).modulate({ brightness }).jpeg().toBuffer())),
  )
}

/** A plain failure, which the shipped model sees. */
export async function failingShots(): Promise<Picture[]> {
  return shotsOf(await readFile(new URL('../../packages/server/models/self-test.jpg', import.meta.url)))
}

/** Nothing that looks like a failure. */
export async function fineShots(): Promise<Picture[]> {
  const noise = { type: 'gaussian', mean: 120, sigma: 30 } as const
  const plain = sharp({ create: { width: 320, height: 240, channels: 3, background: '#667788', noise } })
  return shotsOf(await plain.jpeg().toBuffer())
}

/** What still goes on when a test fails. */
const stops: (() => Promise<void>)[] = []

/** Stops all cameras. */
export async function stopFilming(): Promise<void> {
  await Promise.all(stops.splice(0).map((stop) => stop()))
}

/** Sends a picture every so often until told to stop. */
export function film(printer: SteadyPrinter, pictures: readonly Picture[], everyMs = 1000): () => Promise<void> {
  const ending = new AbortController()
  const filming = (async () => {
    for (let number = 0; !ending.signal.aborted; number++) {
      await printer.show(pictures[number % pictures.length] ?? new Uint8Array())
      await sleep(everyMs)
    }
  })()
  const stop = async (): Promise<void> => {
    ending.abort()
    await filming
  }
  stops.push(stop)
  return stop
}
