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

/** Memory of pictures that were decoded, for the next ones: asking the system for as much each time costs as much as decoding. */
const spare: Buffer[] = []
const MOST_SPARE_BYTES = 8_000_000

function memoryFor(pixels: number): Buffer {
  const at = spare.findIndex(({ length }) => length >= pixels)
  return spare.splice(at, at === -1 ? 0 : 1)[0] ?? Buffer.allocUnsafeSlow(pixels)
}

/** The oldest go first, so that cameras that send larger pictures from now on have their share. */
function keepSpare(memory: Buffer): void {
  spare.push(memory)
  while (spare.reduce((sum, { length }) => sum + length, 0) > MOST_SPARE_BYTES) spare.shift()
}

/**
 * Decodes a JPEG of so many pixels, which must be what its head says, and hands its brightness to `use`: one byte for each pixel, row by
 * row. Once `use` has returned they are another picture's. Undefined where there is any doubt: the picture is damaged or of a kind that is
 * not read here, or the machine has no such library.
 */
export async function withGrey<T>(jpeg: Buffer, pixels: number, use: (grey: Uint8Array) => T): Promise<T | undefined> {
  const turbo = await jpegTurbo()
  if (turbo === undefined) return undefined
  const memory = memoryFor(pixels)
  try {
    const grey = await decompressed(turbo, jpeg, memory)
    return grey?.length === pixels ? use(grey) : undefined
  } finally {
    keepSpare(memory)
  }
}

async function decompressed(turbo: JpegTurbo, jpeg: Buffer, memory: Buffer): Promise<Uint8Array | undefined> {
  try {
    return (await turbo.decompress(jpeg, memory, { format: turbo.FORMAT_GRAY })).data
  } catch {
    return undefined
  }
}
