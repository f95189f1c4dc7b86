import {
  AbortMultipartUploadCommand,
  DeleteObjectsCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3'
import { ApiError } from '../errors.js'
import type { BlobEntry } from '../ports.js'
import { folderOfPrefix, isBlobKey } from './blob-keys.js'
import type { Bucket } from './blobs-s3-bucket.js'

// What concerns many keys: S3 tells and removes a thousand at a time.

/** What a page of a list shows: names in the bucket, with sizes. */
async function* pages(bucket: Bucket, prefix: string): AsyncGenerator<{ name: string; size: number }[]> {
  folderOfPrefix(prefix)
  let ContinuationToken: string | undefined
  do {
    const page = { Bucket: bucket.name, Prefix: bucket.nameOf(prefix), ContinuationToken }
    const answer = await bucket.ask((client) => client.send(new ListObjectsV2Command(page)))
    yield (answer.Contents ?? []).flatMap(({ Key, Size }) => (Key === undefined ? [] : { name: Key, size: Size ?? 0 }))
    ContinuationToken = answer.IsTruncated === true ? answer.NextContinuationToken : undefined
  } while (ContinuationToken !== undefined)
}

/** Every blob below the prefix. Consoles leave empty objects that stand for folders; those are none. */
export async function listBlobs(bucket: Bucket, prefix: string): Promise<BlobEntry[]> {
  const entries: BlobEntry[] = []
  for await (const page of pages(bucket, prefix)) {
    for (const { name, size } of page) {
      const key = bucket.keyOf(name)
      if (isBlobKey(key)) entries.push({ key, size })
    }
  }
  return entries
}

/** Removes everything below the prefix. */
export async function removeBlobs(bucket: Bucket, prefix: string): Promise<void> {
  for await (const page of pages(bucket, prefix)) {
    if (page.length > 0)
      await removeNames(
        bucket,
        page.map(({ name }) => name),
      )
  }
}

async function removeNames(bucket: Bucket, names: readonly string[]): Promise<void> {
  const { Errors = [] } = await bucket.ask((client) =>
    client.send(
      new DeleteObjectsCommand({
        Bucket: bucket.name,
        Delete: { Objects: names.map((Key) => ({ Key })), Quiet: true },
        // The one sum that every server knows, old ones too.
        ChecksumAlgorithm: 'MD5',
      }),
    ),
  )
  const [first] = Errors
  if (first === undefined) return
  const cause = new Error(
    `${Errors.length} of ${names.length} stayed, the first ${first.Key}: ${first.Code} ${first.Message}`,
  )
  throw new ApiError('unavailable', 'Some pictures and files cannot be removed at the moment.', { cause })
}

/** Takes uploads back that were begun before `before` (milliseconds) and never completed, and says how many there were. */
export async function abortUploads(bucket: Bucket, before: number): Promise<number> {
  let count = 0
  for await (const upload of oldUploads(bucket, before)) {
    const place = { Bucket: bucket.name, ...upload }
    await bucket.ask((client) => client.send(new AbortMultipartUploadCommand(place)))
    count += 1
  }
  return count
}

async function* oldUploads(bucket: Bucket, before: number): AsyncGenerator<{ Key: string; UploadId: string }> {
  let markers: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {}
  while (markers !== undefined) {
    const answer: ListMultipartUploadsCommandOutput = await uploadsAfter(bucket, markers)
    for (const { Key, UploadId, Initiated } of answer.Uploads ?? []) {
      if (Key === undefined || UploadId === undefined || Initiated === undefined) continue
      // Some servers tell of all uploads, whatever prefix they were asked for.
      const isOurs = Key.startsWith(bucket.nameOf('')) && isBlobKey(bucket.keyOf(Key))
      if (isOurs && Initiated.getTime() < before) yield { Key, UploadId }
    }
    const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = answer
    markers = answer.IsTruncated === true && KeyMarker !== undefined ? { KeyMarker, UploadIdMarker } : undefined
  }
}

const uploadsAfter = (
  bucket: Bucket,
  markers: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined },
): Promise<ListMultipartUploadsCommandOutput> => {
  const page = { Bucket: bucket.name, Prefix: bucket.nameOf(''), ...markers }
  return bucket.ask((client) => client.send(new ListMultipartUploadsCommand(page)))
}
