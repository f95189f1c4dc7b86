import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readDiskBlobs } from '../../adapters/blobs-disk.js'
import { openBlobs } from '../../adapters/blobs-open.js'
import { type DataFolder, takeDataFolder } from '../../adapters/data-folder.js'
import { openEmbeddedCopySide } from '../../adapters/database-copy-embedded.js'
import { openPostgresCopyTarget } from '../../adapters/database-copy-postgres.js'
import type { BlobStore } from '../../ports.js'
import type { Answer } from '../command.js'
import { CommandError, reasonOf } from '../command-error.js'
import type { ProgressShow } from '../importing/progress.js'
import { type BlobsResult, copyBlobs, countBlobs, verifyBlobs } from './blobs.js'
import type { CopySide, CopyTarget } from './side.js'
import { blobLines, countLines, resultLines, verifiedBlobLines } from './summary.js'
import { copyRows, countRows, verifyRows } from './work.js'
import { bytesText } from '../importing/amounts.js'
import { stderrLog } from '../stderr-log.js'

export interface CopyRequest {
  /** The data folder of a stopped server. */
  readonly from: string
  /** URL of a PostgreSQL database. */
  readonly to: string
  /** Where blobs go: a folder or an `s3://` URL. Undefined leaves them where they are. */
  readonly blobs: string | undefined
  readonly only: 'count' | 'verify' | undefined
  readonly show: ProgressShow
}

/**
 * Copies a server's database, and its blobs when a place for them is named, or only looks.
 *
 * @throws {CommandError} with what to do
 */
export async function copyServer(request: CopyRequest): Promise<Answer> {
  const folder = await takeStopped(request.from)
  try {
    const source = openEmbeddedCopySide(folder.file('printwarden.db'))
    try {
      return await copyFrom(folder, source, request)
    } finally {
      await source.close()
    }
  } catch (error) {
    throw error instanceof CommandError ? error : new CommandError(reasonOf(error), { cause: error })
  } finally {
    folder.release()
  }
}

/** @throws {CommandError} when there is no database, or a server runs on it */
async function takeStopped(path: string): Promise<DataFolder> {
  // Before the folder is taken, which would make it.
  if (!existsSync(join(path, 'printwarden.db'))) {
    throw new CommandError(`there is no database in ${path}; give --from the data folder of the server`)
  }
  try {
    return await takeDataFolder(path)
  } catch (error) {
    throw new CommandError(reasonOf(error), { cause: error })
  }
}

async function copyFrom(folder: DataFolder, source: CopySide, request: CopyRequest): Promise<Answer> {
  if (request.blobs === folder.file('blobs')) {
    throw new CommandError('--blobs is where the pictures lie already; leave it out, or name another place')
  }
  if (request.only === 'count') return count(folder, source, request)
  const target = await openPostgresCopyTarget(request.to, stderrLog)
  try {
    return await (request.only === 'verify'
      ? verify(folder, source, target, request)
      : copy(folder, source, target, request))
  } finally {
    await target.close()
  }
}

async function count(folder: DataFolder, source: CopySide, { blobs }: CopyRequest): Promise<Answer> {
  const tables = await countRows(source)
  const found = blobs === undefined ? undefined : await countBlobs(readDiskBlobs(folder.file('blobs')))
  const files = found && `pictures and files: ${found.count} (${bytesText(found.bytes)})`
  return {
    json: { from: folder.path, dry_run: true, tables, blobs: found ?? null },
    lines: [
      `from ${folder.path}`,
      ...countLines(tables),
      ...(files === undefined ? [] : [files]),
      'dry run: nothing was copied',
    ],
  }
}

async function verify(folder: DataFolder, source: CopySide, target: CopyTarget, request: CopyRequest): Promise<Answer> {
  const startedAt = performance.now()
  const result = await verifyRows(source, target, request.show)
  const seconds = (performance.now() - startedAt) / 1000
  const blobs = await withBlobs(folder, request, verifyBlobs)
  return {
    json: { from: source.place, to: target.place, ...result, blobs: blobs ?? null },
    lines: [...resultLines(result, seconds), ...(blobs === undefined ? [] : verifiedBlobLines(blobs))],
    isFailure: result.differences.length > 0 || (blobs?.differences.length ?? 0) > 0,
  }
}

async function copy(folder: DataFolder, source: CopySide, target: CopyTarget, request: CopyRequest): Promise<Answer> {
  const startedAt = performance.now()
  await target.claim()
  // Before the rows: once those are there servers may start, and must find every picture.
  const blobs = await withBlobs<BlobsResult>(folder, request, copyBlobs)
  if (blobs !== undefined && blobs.differences.length > 0) {
    return {
      json: { blobs },
      lines: [...blobLines(blobs), 'the copy does not count; start the same command again'],
      isFailure: true,
    }
  }
  const rowsFrom = performance.now()
  const result = await copyRows(source, target, request.show)
  const now = performance.now()
  const isFailure = result.differences.length > 0
  return {
    json: {
      ...{ from: folder.path, to: target.place, dry_run: false, seconds: Math.round(now - startedAt) / 1000 },
      ...result,
      blobs: blobs ?? null,
    },
    lines: [
      `from ${folder.path} to ${target.place}`,
      ...resultLines(result, (now - rowsFrom) / 1000),
      ...(blobs === undefined ? [] : blobLines(blobs)),
      ...(isFailure ? ['the copy does not count: nothing of it was kept'] : nextSteps(folder, request)),
    ],
    isFailure,
  }
}

/** Copies or compares the blobs, if a place for them is named. */
async function withBlobs<Result>(
  folder: DataFolder,
  { blobs, show }: CopyRequest,
  work: (source: ReturnType<typeof readDiskBlobs>, target: BlobStore, show: ProgressShow) => Promise<Result>,
): Promise<Result | undefined> {
  if (blobs === undefined) return undefined
  const target = await openBlobs(blobs, stderrLog)
  try {
    return await work(readDiskBlobs(folder.file('blobs')), target, show)
  } finally {
    await target.close()
  }
}

function nextSteps(folder: DataFolder, { blobs }: CopyRequest): string[] {
  return [
    '',
    'next: start the servers with PRINTWARDEN_DATABASE_URL, and no more without it: what is recorded here from now on is not there',
    `  the secret key goes along: ${folder.file('secret-key')}, or its text in PRINTWARDEN_SECRET_KEY if it is not set there`,
    blobs === undefined
      ? `  pictures and files stay in ${folder.file('blobs')}: keep this data folder, or copy them too with --blobs`
      : `  pictures and files are in ${blobs.replace(/\?.*/, '')}`,
  ]
}
