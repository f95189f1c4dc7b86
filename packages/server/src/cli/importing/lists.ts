import { z } from 'zod'
import { SourceFile, SourceFolder, SourcePrint, SourcePrinter, SourceSetting, SourceUser } from './shapes.js'
import type { SourceClient } from './source-client.js'
import { SourceError } from './source-error.js'

const PRINTS_PER_PAGE = 100
const FILES_PER_PAGE = 100

const Envelope = z.looseObject({ results: z.array(z.unknown()), next: z.string().nullish() })

/** A page of a list, which is a plain array or lies in an envelope; `isLast` where the envelope says so. */
function pageOf(json: unknown, path: string): { readonly items: readonly unknown[]; readonly isLast: boolean } {
  if (Array.isArray(json)) return { items: json, isLast: false }
  const envelope = Envelope.safeParse(json).data
  if (envelope !== undefined) return { items: envelope.results, isLast: envelope.next == null }
  throw new SourceError('not_understood', `it answers ${path} with something that is no list`)
}

/** What can be understood of a list; the rest is told by `onOdd`. */
function understood<T>(schema: z.ZodType<T>, items: readonly unknown[], onOdd: () => void): T[] {
  return items.flatMap((item) => {
    const { data, success } = schema.safeParse(item)
    if (!success) onOdd()
    return success ? [data] : []
  })
}

/** The lists of the other server, in pages. `onOdd` is called for each thing that cannot be understood. */
export function sourceLists(source: SourceClient, onOdd: (what: string) => void) {
  async function all(path: string): Promise<readonly unknown[]> {
    const json = await source.json(path)
    return json === undefined ? [] : pageOf(json, path).items
  }

  async function* pages<T>(
    what: string,
    schema: z.ZodType<T>,
    pathOf: (page: number, seen: number) => string,
  ): AsyncGenerator<T[]> {
    const ids = new Set<unknown>()
    let seen = 0
    for (let page = 1; ; page++) {
      const path = pathOf(page, seen)
      const json = await source.json(path)
      // Beyond the last page there is nothing, or there is no such page.
      if (json === undefined) return
      const { items, isLast } = pageOf(json, path)
      if (items.length === 0) return
      seen += items.length
      const list = understood(schema, items, () => onOdd(what))
      // What is added or removed meanwhile moves the pages: a thing may come twice.
      const fresh = list.filter((item) => !ids.has((item as { id: number }).id))
      for (const item of list) ids.add((item as { id: number }).id)
      // A server that knows no pages gives the same again and again.
      if (list.length > 0 && fresh.length === 0) return
      if (fresh.length > 0) yield fresh
      if (isLast) return
    }
  }

  return {
    /** @throws {SourceError} also when it is no such server */
    async user(): Promise<SourceUser> {
      const user = SourceUser.safeParse(await source.json('users/me/')).data
      if (user !== undefined) return user
      throw new SourceError(
        'not_understood',
        'it is no server of this kind; --from is the address that you open in the browser',
      )
    },
    async version(): Promise<string | undefined> {
      const found = z
        .looseObject({ version: z.string() })
        .safeParse(await source.json('version/').catch(() => undefined))
      return found.data?.version
    },
    async printers(): Promise<SourcePrinter[]> {
      return understood(SourcePrinter, await all('printers/?with_archived=true'), () => onOdd('printer'))
    },
    async settings(): Promise<SourceSetting[]> {
      return understood(SourceSetting, await all('notification_settings/'), () => onOdd('notification setting'))
    },
    folders: () =>
      pages(
        'folder',
        SourceFolder,
        (page) => `g_code_folders/?page=${page}&page_size=${FILES_PER_PAGE}&sorting=created_at_asc`,
      ),
    files: () =>
      pages(
        'file',
        SourceFile,
        (page) => `g_code_files/?page=${page}&page_size=${FILES_PER_PAGE}&sorting=created_at_asc`,
      ),
    // Oldest first: what is added meanwhile comes last, so that no page moves.
    prints: () =>
      pages('print', SourcePrint, (_page, seen) => `prints/?sorting=date_asc&start=${seen}&limit=${PRINTS_PER_PAGE}`),
    /** The address of a file as it is now. */
    async fileUrl(id: number): Promise<string | undefined> {
      return SourceFile.safeParse(await source.json(`g_code_files/${id}/`)).data?.url ?? undefined
    },
    async print(id: number): Promise<SourcePrint | undefined> {
      return SourcePrint.safeParse(await source.json(`prints/${id}/`)).data
    },
  }
}

export type SourceLists = ReturnType<typeof sourceLists>
