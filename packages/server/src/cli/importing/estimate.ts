import { extentOf } from './download.js'
import type { SourceClient } from './source-client.js'
import { bytesText, timeText } from './amounts.js'

/** So many files of each kind are looked at; the others are taken to be like them. */
const SAMPLES = 6
const SAMPLE_BYTES = 1024 ** 2

/** What is still to come, in a dry run. */
export interface Estimate {
  add(kind: string, url: string, numBytes: number | null | undefined): void
  /** Looks at some of the files. */
  measure(source: Pick<SourceClient, 'openFile'>): Promise<Measured>
}

export interface Measured {
  readonly files: number
  readonly bytes: number
  /** Undefined when nothing could be measured. */
  readonly seconds: number | undefined
}

export function newEstimate(): Estimate {
  let [files, knownBytes] = [0, 0]
  const unknown = new Map<string, string[]>()

  return {
    add(kind, url, numBytes) {
      files += 1
      if (numBytes != null) knownBytes += numBytes
      if (numBytes == null || kind === 'file') (unknown.get(kind) ?? unknown.set(kind, []).get(kind))?.push(url)
    },
    async measure(source) {
      let bytes = knownBytes
      let [read, elapsedMs] = [0, 0]
      for (const [kind, urls] of unknown) {
        const sizes: number[] = []
        for (const url of spread(urls, SAMPLES)) {
          const startedAt = performance.now()
          const sample = await look(source, url)
          if (sample === undefined) continue
          elapsedMs += performance.now() - startedAt
          read += sample.read
          sizes.push(sample.total)
        }
        // How large a stored file is, its record says.
        if (kind !== 'file' && sizes.length > 0)
          bytes += Math.round((sizes.reduce((sum, size) => sum + size, 0) / sizes.length) * urls.length)
      }
      return { files, bytes, seconds: read === 0 ? undefined : (bytes / read) * (elapsedMs / 1000) }
    },
  }
}

async function look(
  source: Pick<SourceClient, 'openFile'>,
  url: string,
): Promise<{ total: number; read: number } | undefined> {
  let total: number | undefined
  let read = 0
  try {
    const response = await source.openFile(url, 0, SAMPLE_BYTES - 1)
    total = extentOf(response).total
    for await (const chunk of response) {
      read += (chunk as Uint8Array).length
      if (read >= SAMPLE_BYTES) break // a server without ranges sends all of it
    }
    response.destroy()
    return { total: total ?? read, read }
  } catch {
    // The import itself will say what is wrong with it.
    return total === undefined ? undefined : { total, read }
  }
}

/** Some of a list, from all over it. */
export function spread<T>(items: readonly T[], most: number): T[] {
  const step = Math.max(1, items.length / most)
  return Array.from({ length: Math.min(most, items.length) }, (_, index) => items[Math.floor(index * step)]).filter(
    (item) => item !== undefined,
  )
}

export function estimateLine({ files, bytes, seconds }: Measured): string {
  if (files === 0) return 'to download: nothing'
  const time = seconds === undefined ? '' : `, roughly ${timeText(seconds)} at the speed of a moment ago`
  return `to download: ${files} files, about ${bytesText(bytes)}${time}`
}
