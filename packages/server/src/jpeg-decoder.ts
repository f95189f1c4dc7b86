type JpegTurbo = typeof import('@julusian/jpeg-turbo')

// libjpeg-turbo by itself: what libvips adds around each picture costs several times what decoding a webcam's picture does.

let library: Promise<JpegTurbo | undefined> | undefined

/** Machines that it was not built for do without. */
async function jpegTurbo(): Promise<JpegTurbo | undefined> {
  library ??= import('@julusian/jpeg-turbo').then(
    (loaded) => loaded.default,
    () => undefined,
  )
  return library
}

/** Memory of pictures that were decoded, for the next ones: asking the system for as much each time costs a fifth of the decoding. */
const spare: Buffer[] = []
const MOST_SPARE = 4
const MOST_SPARE_PIXELS = 2_100_000

function memoryFor(pixels: number): Buffer {
  const at = spare.findIndex(({ length }) => length >= pixels)
  return spare.splice(at, at === -1 ? 0 : 1)[0] ?? Buffer.allocUnsafeSlow(pixels)
}

/**
 * Decodes a JPEG of so many pixels, which must be what its head says, and hands its brightness to `use`, one byte for each pixel, row by row. They
 * are another picture's once `use` has returned. Undefined where there is any doubt: the picture is damaged or of a kind that is not read here, or the machine has
 * no such library.
 */
export async function withGrey<T>(jpeg: Buffer, pixels: number, use: (grey: Uint8Array) => T): Promise<T | undefined> {
  const turbo = await jpegTurbo()
  if (turbo === undefined) return undefined
  const memory = memoryFor(pixels)
  try {
    const { data } = await turbo.decompress(jpeg, memory, { format: turbo.FORMAT_GRAY })
    return data.length === pixels ? use(data) : undefined
  } catch {
    return undefined
  } finally {
    if (spare.length < MOST_SPARE && memory.length <= MOST_SPARE_PIXELS) spare.push(memory)
  }
}
