import type Sharp from 'sharp'

type SharpFunction = typeof Sharp

/**
 * Loads the picture library. It is large, and most agents pass their pictures on as they are, so it is loaded when the first
 * picture must be changed. One thread and no cache: an agent is a guest on the machine that prints.
 */
export async function loadSharp(): Promise<SharpFunction> {
  const { default: sharp } = await import('sharp')
  sharp.concurrency(1)
  sharp.cache(false)
  return sharp
}
