import { endpoints } from '@printwarden/protocol'
import { ApiError } from '../errors.js'
import type { Api, Caller } from '../http/api.js'
import type { Database } from '../ports.js'
import { flatFolderView } from './flat-view.js'
import type { FolderChanges, FolderFlow } from './folder-flow.js'
import { countSelectedFolders, findVisibleFolder, listFolders } from './folder-store.js'
import { folderSelectionOf, folderSortingOf } from './listing.js'
import { pageHeaders, pageOf } from './paging.js'
import type { ShowFlow } from './show-flow.js'

export interface FolderRoutesDeps {
  readonly database: Database
  readonly folders: FolderFlow
  readonly show: ShowFlow
}

/** The endpoints of G-code folders (specification, section 4.5). */
export function gCodeFolderRoutes(api: Api, { database: { db }, folders, show }: FolderRoutesDeps): void {
  async function update({ user_id }: Caller, id: number, changes: FolderChanges) {
    const folder = await folders.update(user_id, id, changes)
    if (folder === undefined) throw new ApiError('not_found')
    return flatFolderView(folder)
  }

  api.handle(endpoints.listGCodeFolders, async ({ query }, { user_id }, { request, reply, origin }) => {
    const selection = folderSelectionOf(query)
    const page = pageOf(query)
    const [rows, total] = await Promise.all([
      listFolders(db, user_id, selection, folderSortingOf(query.sorting), page),
      countSelectedFolders(db, user_id, selection),
    ])
    reply.headers(pageHeaders(new URL(request.url, origin), page, total))
    return show.folders(user_id, rows)
  })

  api.handle(endpoints.createGCodeFolder, async ({ body }, { user_id }) => {
    return flatFolderView(await folders.create(user_id, body))
  })

  api.handle(endpoints.getGCodeFolder, async ({ params }, { user_id }) => {
    const folder = await findVisibleFolder(db, user_id, params.id)
    const [shown] = folder === undefined ? [] : await show.folders(user_id, [folder])
    if (shown === undefined) throw new ApiError('not_found')
    return shown
  })

  api.handle(endpoints.updateGCodeFolder, ({ params, body }, caller) => update(caller, params.id, body))
  api.handle(endpoints.replaceGCodeFolder, ({ params, body }, caller) => update(caller, params.id, body))

  api.handle(endpoints.deleteGCodeFolder, async ({ params }, { user_id }) => {
    if ((await folders.remove(user_id, [params.id])) === 0) throw new ApiError('not_found')
  })

  api.handle(endpoints.deleteGCodeFolders, async ({ body }, { user_id }) => {
    return { deleted: await folders.remove(user_id, body.folder_ids) }
  })

  api.handle(endpoints.moveGCodeFolders, async ({ body }, { user_id }) => {
    return { moved: await folders.move(user_id, body.folder_ids, body.parent_folder) }
  })
}
