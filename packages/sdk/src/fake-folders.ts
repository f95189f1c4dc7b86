import { type FakeCall, pageOf } from './fake-api.js'
import { callerOf, given, type Handlers, visible } from './fake-handlers.js'
import { inOrder, safeName } from './fake-names.js'
import { FakeRefusal, invalid } from './fake-refusal.js'
import type { FakeState } from './fake-state.js'
import { folderFlat, folderView } from './fake-views.js'

/** The endpoints of folders. */
export function folderHandlers(state: FakeState): Handlers {
  type Call = Pick<FakeCall, 'user'>

  const find = (call: Call, id: number) => visible(call, state.folders.get(id))
  const flatOf = (id: number) => {
    const flat = folderFlat(state, id)
    if (flat === null) throw new FakeRefusal('not_found')
    return flat
  }

  /** Whether a folder is another, or lies anywhere in it. */
  function isWithin(id: number | null, other: number): boolean {
    if (id === null) return false
    return id === other || isWithin(state.folders.get(id)?.flat.parent_folder ?? null, other)
  }

  function check(call: Call, id: number | undefined, parent: number | null, name: string): void {
    if (parent !== null && state.folders.get(parent)?.userId !== callerOf(call).id) {
      throw invalid('parent_folder', 'is not a folder of yours')
    }
    if (id !== undefined && isWithin(parent, id)) throw invalid('parent_folder', 'lies in the folder itself')
    const taken = [...state.folders.values()].some(
      ({ userId, flat }) =>
        userId === callerOf(call).id &&
        flat.id !== id &&
        flat.parent_folder === parent &&
        flat.safe_name === safeName(name),
    )
    if (taken) throw invalid('name', 'is the name of another folder there')
  }

  function change(
    call: Call,
    id: number,
    changes: { name?: string | undefined; parent_folder?: number | null | undefined },
  ) {
    const folder = find(call, id)
    const next = { ...folder.flat, ...given(changes), updated_at: state.now() }
    check(call, id, next.parent_folder, next.name)
    folder.flat = { ...next, safe_name: safeName(next.name) }
    return flatOf(id)
  }

  function remove(id: number): void {
    for (const { flat } of [...state.folders.values()]) if (flat.parent_folder === id) remove(flat.id)
    for (const file of state.files.values()) {
      if (file.flat.parent_folder !== id) continue
      file.flat = { ...file.flat, deleted: state.now(), deleted_by_cascade: true, url: null, parent_folder: null }
    }
    state.folders.delete(id)
  }

  const own = (call: Call) => [...state.folders.values()].filter(({ userId }) => userId === callerOf(call).id)

  return {
    listGCodeFolders(call) {
      const { sorting, q, parent_folder } = call.query
      const found = own(call).filter(
        ({ flat }) =>
          (q === undefined || flat.safe_name.toLowerCase().includes(safeName(q).toLowerCase())) &&
          (parent_folder === undefined || flat.parent_folder === parent_folder),
      )
      return pageOf(call, inOrder(found, sorting), 20).map(({ flat }) => folderView(state, flatOf(flat.id)))
    },
    createGCodeFolder(call) {
      const { name, parent_folder = null } = call.body
      check(call, undefined, parent_folder, name)
      const id = state.nextId()
      const counts = { g_code_folder_count: 0, g_code_file_count: 0 }
      const times = { created_at: state.now(), updated_at: state.now() }
      const flat = { id, name, safe_name: safeName(name), parent_folder, ...counts, ...times }
      state.folders.set(id, { userId: callerOf(call).id, flat })
      return flat
    },
    getGCodeFolder: (call) => folderView(state, flatOf(find(call, call.params.id).flat.id)),
    updateGCodeFolder: (call) => change(call, call.params.id, call.body),
    replaceGCodeFolder: (call) => change(call, call.params.id, call.body),
    deleteGCodeFolder: (call) => remove(find(call, call.params.id).flat.id),
    deleteGCodeFolders(call) {
      const found = own(call).filter(({ flat }) => call.body.folder_ids.includes(flat.id))
      for (const { flat } of found) remove(flat.id)
      return { deleted: found.length }
    },
    moveGCodeFolders(call) {
      const found = own(call).filter(({ flat }) => call.body.folder_ids.includes(flat.id))
      for (const { flat } of found) check(call, flat.id, call.body.parent_folder, flat.name)
      for (const folder of found) folder.flat = { ...folder.flat, parent_folder: call.body.parent_folder }
      return { moved: found.length }
    },
  }
}
