const CONTENT_TYPES: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  json: 'application/json',
  mp4: 'video/mp4',
}

/** The content type that a key's ending stands for. */
export function contentTypeOf(key: string): string {
  const ending = key.slice(key.lastIndexOf('.') + 1)
  return CONTENT_TYPES[ending] ?? 'application/octet-stream'
}

const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/

/**
 * A key that is safe as a path: segments of letters, digits, `.`, `_` and `-`, none of them starting with a dot. Keys are made by
 * us and checked by signature when they come back, so another one is a defect.
 */
export function checkBlobKey(key: string): string {
  if (!isBlobKey(key)) throw new Error(`not a blob key: ${JSON.stringify(key)}`)
  return key
}

/** @throws when the bytes are said to be something other than their key says: a reader would take them for that */
export function checkContentType(key: string, contentType: string): void {
  if (contentTypeOf(key) !== contentType) throw new Error(`the blob ${key} does not look like ${contentType}`)
}

/** The part of a prefix up to the folder in which it ends: `prints/` of `prints/7`. A prefix that would leave the store is a defect. */
export function folderOfPrefix(prefix: string): string {
  const start = prefix.slice(0, prefix.lastIndexOf('/') + 1)
  if (prefix !== '') checkBlobKey(`${start}x`)
  return start
}

/** Whether a key is one of ours. In a store that others write to as well there may be more. */
export function isBlobKey(key: string): boolean {
  return key.split('/').every((segment) => SEGMENT.test(segment))
}
