const RIFF = [0x52, 0x49, 0x46, 0x46]
const WEBP = [0x57, 0x45, 0x42, 0x50]

function has(bytes: Uint8Array, offset: number, expected: readonly number[]): boolean {
  return expected.every((byte, index) => bytes[offset + index] === byte)
}

export type PictureType = 'image/jpeg' | 'image/png' | 'image/webp'

/** How the file name of such a picture ends. */
export const PICTURE_ENDINGS: Record<PictureType, string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
}

/** The media type of a picture that a camera may send, by its first bytes; undefined for anything else. */
export function pictureType(bytes: Uint8Array): PictureType | undefined {
  if (has(bytes, 0, [0xff, 0xd8, 0xff])) return 'image/jpeg'
  if (has(bytes, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'image/png'
  return has(bytes, 0, RIFF) && has(bytes, 8, WEBP) ? 'image/webp' : undefined
}
