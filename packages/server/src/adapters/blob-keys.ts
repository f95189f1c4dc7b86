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
  if (!key.split('/').every((segment) => SEGMENT.test(segment)))
    throw new Error(`not a blob key: ${JSON.stringify(key)}`)
  return key
}
