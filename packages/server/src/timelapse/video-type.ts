/** As many bytes of a file are looked at. */
export const VIDEO_START_BYTES = 12

/** Whether a file begins like MP4 or QuickTime: with a box that names its kind, or with one of those of old QuickTime files. */
export function isVideoStart(bytes: Uint8Array): boolean {
  const type = String.fromCharCode(...bytes.subarray(4, 8))
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  if (type === 'ftyp') return length >= 16 && length <= 1024
  return ['moov', 'mdat', 'wide', 'free', 'skip'].includes(type) && (length >= 8 || length === 1)
}
