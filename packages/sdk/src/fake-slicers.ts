import type { SlicerUpload } from '@printwarden/protocol'
import type { FakeCall } from './fake-api.js'
import { addFile } from './fake-files.js'
import { callerOf, type Handlers } from './fake-handlers.js'
import { FakeRefusal, invalid } from './fake-refusal.js'
import { printFile } from './fake-print-file.js'
import type { CommandPolicy } from './fake-printers.js'
import type { FakePrinterRecord, FakeState } from './fake-state.js'

const UNCLEAR = { reason: { detail: 'It is not clear which printer is meant.' } }

const YES = new Set(['true', 'True', 'yes', '1'])

/** What slicers know from OctoPrint. */
export function slicerHandlers(state: FakeState, baseUrl: string, policy: CommandPolicy): Handlers {
  const own = (call: Pick<FakeCall, 'user'>): FakePrinterRecord[] =>
    [...state.printers.values()].filter(({ userId, archivedAt }) => userId === callerOf(call).id && archivedAt === null)

  /** The only printer of the user; of several, nobody knows which is meant. */
  function meant(call: Pick<FakeCall, 'user'>): FakePrinterRecord | undefined {
    const [first, ...more] = own(call)
    return more.length === 0 ? first : undefined
  }

  /** The folder that the slicer names; what is missing of it is made. */
  function folderAt(userId: number, path: string): number | null {
    let parent: number | null = null
    for (const name of path.split('/').filter((part) => part !== '')) {
      const known = [...state.folders.values()].find(
        (folder) => folder.userId === userId && folder.flat.parent_folder === parent && folder.flat.name === name,
      )
      parent = known?.flat.id ?? addFolder(userId, name, parent)
    }
    return parent
  }

  function addFolder(userId: number, name: string, parent_folder: number | null): number {
    const id = state.nextId()
    const times = { created_at: state.now(), updated_at: state.now() }
    const counts = { g_code_file_count: 0, g_code_folder_count: 0 }
    state.folders.set(id, {
      userId,
      flat: { id, name, safe_name: name, parent_folder, ...times, ...counts },
    })
    return id
  }

  async function take(call: FakeCall, printer: FakePrinterRecord | undefined): Promise<SlicerUpload> {
    const part = call.form?.get('file')
    if (!(part instanceof File)) throw invalid('file', 'is required')
    if (part.size === 0) throw invalid('file', 'must not be empty')
    const text = (name: string): string => {
      const value = call.form?.get(name)
      return typeof value === 'string' ? value : ''
    }
    const userId = callerOf(call).id
    const bytes = new Uint8Array(await part.arrayBuffer())
    const path = text('path')
    const stored = await addFile(state, baseUrl, { userId, filename: part.name, bytes, parent: folderAt(userId, path) })
    const isPrinted = YES.has(text('print'))
    if (isPrinted) {
      const { reason } = printer === undefined ? UNCLEAR : printFile(state, policy, { call, file: stored, printer })
      if (reason !== null) throw invalid('print', reason.detail)
    }
    const { id, filename, url } = stored.flat
    const resource = `${baseUrl}/api/v1/g_code_files/${id}/`
    const name = path === '' ? filename : `${path}/${filename}`
    const refs = { resource, download: url ?? resource }
    const files = { local: { name: filename, path: name, origin: 'local' as const, refs } }
    return { done: true, files, effectiveSelect: isPrinted, effectivePrint: isPrinted }
  }

  return {
    getSlicerVersion: () => ({ api: '0.1', server: '1.11.0', text: 'OctoPrint (Printwarden 0.0.0)' }),
    getSlicerSettings: () => ({ feature: { sdSupport: false }, webcam: {}, plugins: {} }),
    getSlicerPrinter(call) {
      const status = meant(call)?.status
      if (status === undefined || status === null) {
        throw new FakeRefusal('conflict', 'The printer is offline, or it is not clear which is meant.')
      }
      return { state: { text: status.state.text, flags: flagsOf(status.state.flags) }, temperature: {} }
    },
    getSlicerJob(call) {
      const printer = meant(call)
      const status = printer?.status ?? null
      const print = printer?.currentPrintId ?? null
      const { completion = null, printTime = null, printTimeLeft = null } = status?.progress ?? {}
      return {
        state: status?.state.text ?? 'Offline',
        job: { file: { name: print === null ? null : (state.prints.get(print)?.summary.filename ?? null) } },
        progress: { completion, printTime, printTimeLeft },
      }
    },
    listSlicerProfiles(call) {
      const name = meant(call)?.settings.name ?? 'Printwarden'
      return { profiles: { _default: { id: '_default', name, model: '', current: true } } }
    },
    uploadFromSlicer: (call) => take(call, meant(call)),
    uploadFromSlicerToPrinter(call) {
      const wanted = call.params.printer
      const printer = own(call).find(({ id, settings }) => String(id) === wanted || settings.name === wanted)
      if (printer === undefined) throw new FakeRefusal('not_found')
      return take(call, printer)
    },
  }
}

const flagsOf = (flags: object): Record<string, boolean> =>
  Object.fromEntries(Object.entries(flags).filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'))
