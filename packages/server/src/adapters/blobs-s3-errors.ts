import { ApiError } from '../errors.js'

// What a store that speaks S3, the network on the way to it and the SDK say, as what the rest of the server understands. Pure.

interface Raised extends Error {
  readonly code?: string
  readonly $metadata?: { readonly httpStatusCode?: number }
}

const asRaised = (error: unknown): Raised => (error instanceof Error ? error : new Error(String(error)))
const statusOf = (error: Raised): number => error.$metadata?.httpStatusCode ?? 0

/** What whoever asked is told. */
export const UNREACHABLE = 'Pictures and files cannot be reached at the moment.'

const ABSENT = new Set(['NoSuchKey', 'NotFound'])
const FULL = new Set([
  'QuotaExceeded',
  'InsufficientStorage',
  'XMinioStorageFull',
  'StorageFull',
  'ServiceQuotaExceeded',
])
const OUT_OF_STORAGE = 507
/** What a server cannot do at all says nothing about whether it works. */
const NOT_IMPLEMENTED = 501

/** The same requests as before are answered as soon as an operator has seen to it, so they are no defects of ours. */
const ADVICE: Readonly<Record<string, string>> = {
  NoSuchBucket: 'there is no such bucket; make it first',
  InvalidAccessKeyId: 'the access key is not known there; look at AWS_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'the secret key is not the one of the access key; look at AWS_SECRET_ACCESS_KEY',
  InvalidToken: 'the session token is not accepted; look at AWS_SESSION_TOKEN',
  ExpiredToken: 'the session token has expired; get new credentials',
  AccessDenied:
    'the credentials may not do this; they need s3:ListBucket, s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload and s3:ListBucketMultipartUploads',
  CredentialsProviderError: 'there are no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  RequestTimeTooSkewed: 'the clock of this machine differs from the one there; set it right',
  PermanentRedirect: 'the bucket is in another region; name it as region=…',
  AuthorizationHeaderMalformed: 'the bucket is in another region; name it as region=…',
  IllegalLocationConstraintException: 'the bucket is in another region; name it as region=…',
}

const NETWORK = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'ERR_STREAM_PREMATURE_CLOSE', 'EPROTO', 'CERT_HAS_EXPIRED'],
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

/** Whether there is nothing under the key that was asked for. */
export function isAbsent(error: unknown): boolean {
  return ABSENT.has(asRaised(error).name)
}

/** Whether it is the blob that is absent. The answer to a HEAD has no words, so that the bucket may be missing as well. */
export function saysWhat(absent: unknown): boolean {
  return asRaised(absent).name === 'NoSuchKey'
}

/** Whether there is no such upload in parts: it was taken back, or it is complete. */
export function isUploadGone(error: unknown): boolean {
  return asRaised(error).name === 'NoSuchUpload'
}

/** Whether what is under the key is no longer what was being read. */
export function isReplaced(error: unknown): boolean {
  const raised = asRaised(error)
  return raised.name === 'PreconditionFailed' || statusOf(raised) === 412
}

/** Why the store cannot be used, in words for an operator; undefined when the store works and the request was wrong. */
export function reasonOf(error: unknown): string | undefined {
  const raised = asRaised(error)
  const advice = ADVICE[raised.name] ?? (/region is missing/i.test(raised.message) ? 'name its region=…' : undefined)
  if (advice !== undefined) return `${advice} (${raised.name})`
  if (raised.code !== undefined && NETWORK.has(raised.code)) return `it cannot be reached (${raised.code})`
  if (raised.name === 'TimeoutError' || raised.name === 'AbortError') return 'it does not answer in time'
  const status = statusOf(raised)
  if (status === NOT_IMPLEMENTED) return undefined
  const isRefusal = status >= 500 || status === 429 || status === 403 || status === 401
  // What is not in the words of S3 comes from something else at that address, or on the way there.
  const isForeign = raised.name === 'UnknownError' || raised.name === 'Unknown'
  return isRefusal || isForeign ? `it answers ${status} (${raised.name})` : undefined
}

/** What a request failed with, for whoever asked. What is a defect of ours stays what it is. */
export function refusalOf(error: unknown): Error {
  if (error instanceof ApiError) return error
  const raised = asRaised(error)
  const options = { cause: raised }
  if (FULL.has(raised.name) || statusOf(raised) === OUT_OF_STORAGE)
    return new ApiError('storage_full', undefined, options)
  if (reasonOf(raised) !== undefined) {
    return new ApiError('unavailable', UNREACHABLE, options)
  }
  return raised
}
