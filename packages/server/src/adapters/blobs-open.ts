import { readBlobsUrl } from '../blobs-url.js'
import type { BlobStore, Log } from '../ports.js'
import { openDiskBlobs } from './blobs-disk.js'

/**
 * The blobs at `place`: an `s3://` URL as in PRINTWARDEN_BLOBS_URL, or a folder. What speaks S3 is read only where it is used: a
 * household's server starts sooner.
 *
 * @param isShared whether other servers may use the same ones at the same time
 * @throws when they cannot be used; the message says why, and what to do
 */
export async function openBlobs(place: string, log: Log, isShared = false): Promise<BlobStore> {
  if (!place.startsWith('s3:')) return openDiskBlobs(place, isShared)
  const bucket = readBlobsUrl(place)
  if ('problem' in bucket) throw new Error(`${place} ${bucket.problem}`)
  return (await import('./blobs-s3.js')).openS3Blobs(bucket, log)
}
