import { type GCodeFileFlat, MAX_NAME_LENGTH } from '@printwarden/protocol'
import { type FakeCall, pageOf } from './fake-api.js'
import { callerOf, given, type Handlers, visible } from './fake-handlers.js'
import { inOrder, safeName } from './fake-names.js'
import { printFile } from './fake-print-file.js'
import type { CommandPolicy } from './fake-printers.js'
import { FakeRefusal, invalid } from './fake-refusal.js'
import { type FakeFileRecord, type FakeState, hex } from './fake-state.js'
import { fileSaved, fileView } from './fake-views.js'

const ENDINGS = /\.(gcode|gco|g|bgcode|3mf)$/i

/** Where the bytes of a file are; whoever knows the address may fetch them. */
export const mediaPath = (id: number): string => `/media/g-code/${id}`

/** Stores a file. */
export async function addFile(
  state: FakeState,
  baseUrl: string,
  file: { userId: number; filename: string; bytes: Uint8Array | undefined; parent: number | null },
): Promise<FakeFileRecord> {
  if (!ENDINGS.test(file.filename)) throw invalid('filename', 'must end in .gcode, .gco, .g, .bgcode or .3mf')
  if (file.filename.length > MAX_NAME_LENGTH)
    throw invalid('filename', `must have at most ${MAX_NAME_LENGTH} characters`)
  const id = state.nextId()
  const { bytes } = file
  const flat: GCodeFileFlat = {
    id,
    deleted: null,
    deleted_by_cascade: false,
    filename: file.filename,
    safe_filename: safeName(file.filename),
    url: bytes === undefined ? null : `${baseUrl}${mediaPath(id)}?signature=${hex(32)}`,
    num_bytes: bytes?.length ?? null,
    sha256: bytes === undefined ? null : await sha256(bytes),
    agent_signature: null,
    metadata_json: null,
    filament_total: null,
    estimated_time: null,
    thumbnail1_url: null,
    thumbnail2_url: null,
    thumbnail3_url: null,
    created_at: state.now(),
    updated_at: state.now(),
    resident_printer: null,
    parent_folder: file.parent,
    user: file.userId,
  }
  const record = { userId: file.userId, flat, bytes }
  state.files.set(id, record)
  return record
}

async function sha256(bytes: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The endpoints of stored files. */
export function fileHandlers(state: FakeState, baseUrl: string, policy: CommandPolicy): Handlers {
  type Call = Pick<FakeCall, 'user'>

  const find = (call: Call & { readonly params: { readonly id: number } }) =>
    visible(call, state.files.get(call.params.id))
  const own = (call: Call) =>
    [...state.files.values()].filter(({ userId, flat }) => userId === callerOf(call).id && flat.deleted === null)

  /** A folder that something is put into. */
  function parentOf(call: Call, id: number | null): number | null {
    if (id !== null && state.folders.get(id)?.userId !== callerOf(call).id) {
      throw invalid('parent_folder', 'is not a folder of yours')
    }
    return id
  }

  function change(
    call: Call,
    file: FakeFileRecord,
    changes: { filename?: string | undefined; parent_folder?: number | null | undefined },
  ) {
    if (changes.filename !== undefined && !ENDINGS.test(changes.filename)) {
      throw invalid('filename', 'must end in .gcode, .gco, .g, .bgcode or .3mf')
    }
    if (changes.parent_folder !== undefined) parentOf(call, changes.parent_folder)
    const flat = { ...file.flat, ...given(changes), updated_at: state.now() }
    file.flat = { ...flat, safe_filename: safeName(flat.filename) }
    return fileSaved(file)
  }

  const remove = (file: FakeFileRecord): void => {
    file.flat = { ...file.flat, deleted: state.now(), url: null }
  }

  async function upload(call: FakeCall, body: { filename?: string; parent_folder?: number | null | undefined }) {
    const { form } = call
    const part = form?.get('file')
    const folder = form?.get('parent_folder')
    const parent = typeof folder === 'string' && folder !== '' ? Number(folder) : (body.parent_folder ?? null)
    const named = form?.get('filename') ?? body.filename
    const filename = typeof named === 'string' ? named : ''
    const bytes = part instanceof Blob ? new Uint8Array(await part.arrayBuffer()) : undefined
    const userId = callerOf(call).id
    const file = await addFile(state, baseUrl, { userId, filename, bytes, parent: parentOf(call, parent) })
    return form?.get('print') === 'true' ? { ...fileSaved(file), print: printNow(call, file) } : fileSaved(file)
  }

  /** What cannot be printed stays. */
  function printNow(call: FakeCall, file: FakeFileRecord) {
    const named = call.form?.get('printer_id')
    const [id = ''] = typeof named === 'string' ? (/\d+(?=\]?$)/.exec(named) ?? []) : []
    const printer = state.printers.get(Number(id))
    if (printer?.userId !== file.userId) throw invalid('printer_id', 'there is no such printer')
    const { reason, command_id } = printFile(state, policy, { call, file, printer })
    if (reason !== null) throw new FakeRefusal('conflict', `Stored, but not printed. ${reason.detail}`)
    return { printer_id: printer.id, command_id }
  }

  return {
    listGCodeFiles(call) {
      const { sorting, q, parent_folder, resident_printer } = call.query
      const found = own(call).filter(
        ({ flat }) =>
          (q === undefined || flat.safe_filename.toLowerCase().includes(safeName(q).toLowerCase())) &&
          (parent_folder === undefined || flat.parent_folder === parent_folder) &&
          flat.resident_printer === (resident_printer ?? null),
      )
      return pageOf(call, inOrder(found, sorting), 20).map((file) => fileView(state, file))
    },
    getGCodeFile: (call) => fileView(state, find(call)),
    uploadGCodeFile: (call) => upload(call, call.body),
    updateGCodeFile: (call) => change(call, find(call), call.body),
    replaceGCodeFile: (call) => change(call, find(call), call.body),
    deleteGCodeFile: (call) => remove(find(call)),
    deleteGCodeFiles(call) {
      const found = own(call).filter(({ flat }) => call.body.file_ids.includes(flat.id))
      for (const file of found) remove(file)
      return { deleted: found.length }
    },
    moveGCodeFiles(call) {
      const parent = parentOf(call, call.body.parent_folder)
      const found = own(call).filter(({ flat }) => call.body.file_ids.includes(flat.id))
      for (const file of found) file.flat = { ...file.flat, parent_folder: parent }
      return { moved: found.length }
    },
    printGCodeFile(call) {
      const file = find(call)
      const printer = visible(call, state.printers.get(call.body.printer_id))
      return printFile(state, policy, { call, file, printer })
    },
  }
}
