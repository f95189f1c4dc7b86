// Where blobs lie when they do not lie in the data folder: `s3://bucket?endpoint=…&region=…&prefix=…`. Pure.

/** A bucket, or a folder of it. */
export interface BucketPlace {
  readonly bucket: string
  /** Of a server that speaks the protocol of S3, such as `https://minio.example:9000`; undefined for Amazon's own. */
  readonly endpoint: string | undefined
  /** Undefined: what the usual AWS variables and files say. */
  readonly region: string | undefined
  /** Stands before every key: empty, or a folder that ends in `/`. */
  readonly prefix: string
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const REGION = /^[A-Za-z0-9-]{1,64}$/
const PREFIX = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}(\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}){0,7}\/?$/
const PARAMETERS = ['endpoint', 'region', 'prefix']

/** A server that is not Amazon's mostly knows one region, and takes this name for it. */
const ANY_REGION = 'us-east-1'

/** The place that `text` names, or what is wrong with it, in words for whoever wrote it. */
export function readBlobsUrl(text: string): BucketPlace | { readonly problem: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 's3:')
    return { problem: 'must be s3://bucket, with ?endpoint=…&region=…&prefix=… where needed' }
  if (url.username !== '' || url.password !== '') {
    return { problem: 'must hold no credentials: they go into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY' }
  }
  if (!BUCKET.test(url.hostname) || url.port !== '')
    return { problem: 'names no bucket: 3 to 63 of a-z, 0-9, "." and "-"' }
  if (!['', '/'].includes(url.pathname))
    return { problem: 'must name a folder of the bucket as prefix=…, not as a path' }
  const { searchParams } = url
  const unknown = [...searchParams.keys()].find((name) => !PARAMETERS.includes(name))
  if (unknown !== undefined)
    return { problem: `has the unknown parameter "${unknown}"; there are ${PARAMETERS.join(', ')}` }
  return readParameters(url.hostname, searchParams)
}

function readParameters(bucket: string, given: URLSearchParams): BucketPlace | { readonly problem: string } {
  const one = (name: string): string | undefined => given.get(name) || undefined
  const [endpoint, region, prefix] = [one('endpoint'), one('region'), one('prefix')]
  if (endpoint !== undefined && !isOrigin(endpoint)) {
    return { problem: 'must have as endpoint an http(s) address without a path, such as https://minio.example:9000' }
  }
  if (region !== undefined && !REGION.test(region)) return { problem: 'has a region that is none' }
  if (prefix !== undefined && !PREFIX.test(prefix)) {
    return { problem: 'has a prefix that is none: names of letters, digits, ".", "_" and "-", with "/" between them' }
  }
  return {
    bucket,
    endpoint: endpoint?.replace(/\/$/, ''),
    region: region ?? (endpoint === undefined ? undefined : ANY_REGION),
    prefix: prefix === undefined ? '' : `${prefix.replace(/\/$/, '')}/`,
  }
}

function isOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && text.replace(/\/$/, '') === url.origin
}
