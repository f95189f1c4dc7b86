import type { Picture } from '../detection/service/check-picture-flow.js'

const EXTENSION = { 'image/jpeg': 'jpg', 'image/png': 'png', 'image/webp': 'webp' } as const

/** Where the newest pictures of a printer lie. Nothing else does, so that it can be swept. */
export const picturePrefix = (printerId: number): string => `printers/${printerId}/pic/`

/** Where the newest pictures of a camera lie that is not the primary one. */
export const cameraPrefix = (printerId: number, cameraId: number): string =>
  `printers/${printerId}/cameras/${cameraId}/`

/** The blob key of a picture. */
export function picturePath(prefix: string, name: string, type: Picture['type']): string {
  return `${prefix}${name}.${EXTENSION[type]}`
}

/** The live store's key for the picture that was replaced last, which is removed next. `liveKey` is that of the newest one. */
export const replacedKey = (liveKey: string): string => `replaced-${liveKey}`

export function readKey(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
