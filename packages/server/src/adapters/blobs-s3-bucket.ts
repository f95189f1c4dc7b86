import { ListObjectsV2Command, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import type { BucketPlace } from '../blobs-url.js'
import { ApiError } from '../errors.js'
import type { Log } from '../ports.js'
import { remembered } from '../remembered.js'
import { isAbsent, isReplaced, reasonOf, refusalOf, UNREACHABLE } from './blobs-s3-errors.js'

/** Each try has its own time: to connect, without a byte in either direction, and until the answer begins. */
const CONNECT_TIMEOUT_MS = 3_000
const SILENCE_TIMEOUT_MS = 15_000
const ANSWER_TIMEOUT_MS = 60_000
const TRIES = 3

/** Of each kind. A reader who is slow holds a connection, so there are more of them than the SDK would allow. */
const MAX_SOCKETS = 512

/** Written to see that it can be. Its name is none of a blob. */
export const PROBE = '.probe'

/** One bucket, or a folder of it. */
export interface Bucket {
  readonly name: string
  readonly client: S3Client
  /** The name of a key in the bucket, and back. */
  readonly nameOf: (key: string) => string
  keyOf(name: string): string
  /**
   * Runs one request. What goes wrong is told in the words of the server; that the store is away, and back, is logged once each.
   *
   * @throws {ApiError} unavailable, storage_full
   */
  ask<Answer>(request: (client: S3Client) => Promise<Answer>): Promise<Answer>
  /** The same over connections of their own, for what somebody reads at leisure: nothing else waits for one of those. */
  askForReader<Answer>(request: (client: S3Client) => Promise<Answer>): Promise<Answer>
  /**
   * Looks whether the bucket is there, unless it was a moment ago.
   *
   * @throws {ApiError} unavailable
   */
  confirm(): Promise<void>
  close(): void
}

/** Where a bucket is, as operators know it. */
export function wordsFor({ bucket, endpoint, region }: BucketPlace): string {
  return `the bucket ${bucket} ${endpoint === undefined ? `of Amazon S3${region === undefined ? '' : ` in ${region}`}` : `at ${endpoint}`}`
}

/** Asks nothing yet: connections are made when they are needed. */
export function openBucket(place: BucketPlace, log: Log, maxSockets = MAX_SOCKETS): Bucket {
  const client = new S3Client(clientConfig(place, log, maxSockets))
  const readers = new S3Client(clientConfig(place, log, maxSockets))
  const names = { name: place.bucket, nameOf: (key: string) => `${place.prefix}${key}` }
  let isAway = false

  function heard(error: unknown): void {
    const reason = error === undefined ? undefined : reasonOf(error)
    const wasAway = isAway
    isAway = reason !== undefined
    if (isAway && !wasAway) log.warn({ err: error, reason }, `${wordsFor(place)} cannot be used`)
    if (!isAway && wasAway) log.info({}, `${wordsFor(place)} can be used again`)
  }

  async function askOver<Answer>(over: S3Client, request: (client: S3Client) => Promise<Answer>): Promise<Answer> {
    try {
      const answer = await request(over)
      heard(undefined)
      return answer
    } catch (error) {
      // Answers as well, which their askers know how to take.
      if (isAbsent(error) || isReplaced(error)) throw error
      heard(error)
      throw refusalOf(error)
    }
  }

  /** By a list, whose answer has words, and which needs no permission that is not needed anyway. */
  async function confirm(): Promise<void> {
    try {
      await askOver(client, () => client.send(listOne(names)))
    } catch (cause) {
      // Without words even here it is no store of S3 that answers.
      throw isAbsent(cause) ? new ApiError('unavailable', UNREACHABLE, { cause }) : cause
    }
  }

  return {
    ...names,
    client,
    keyOf: (name) => name.slice(place.prefix.length),
    ask: (request) => askOver(client, request),
    askForReader: (request) => askOver(readers, request),
    confirm: remembered(confirm),
    close() {
      client.destroy()
      readers.destroy()
    },
  }
}

/** The least that a list can be asked for. */
export const listOne = ({ name, nameOf }: Pick<Bucket, 'name' | 'nameOf'>): ListObjectsV2Command =>
  new ListObjectsV2Command({ Bucket: name, Prefix: nameOf(PROBE), MaxKeys: 1 })

function clientConfig({ endpoint, region }: BucketPlace, log: Log, maxSockets: number): S3ClientConfig {
  const sockets = { keepAlive: true, maxSockets }
  return {
    ...(region !== undefined && { region }),
    // Names of buckets as names of hosts need a DNS that knows them; few servers that are not Amazon's have one.
    ...(endpoint === undefined ? { followRegionRedirects: true } : { endpoint, forcePathStyle: true }),
    maxAttempts: TRIES,
    // Every request carries the hash of its body in its signature already; not all servers know the newer sums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      ...{ connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: SILENCE_TIMEOUT_MS },
      ...{ requestTimeout: ANSWER_TIMEOUT_MS, throwOnRequestTimeout: true },
      httpAgent: sockets,
      httpsAgent: sockets,
    },
    logger: { ...silent, warn: (text: unknown) => log.warn({ text: String(text) }, 'the SDK for S3 warns') },
  }
}

const silent = { trace() {}, debug() {}, info() {}, error() {} }
