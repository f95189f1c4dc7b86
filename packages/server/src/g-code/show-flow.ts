import type { GCodeFile, GCodeFolder } from '@printwarden/protocol'
import type { Exchange } from '../http/api.js'
import type { Database } from '../ports.js'
import { listPrintsOfFiles } from '../prints/store.js'
import type { MediaUrls } from '../prints/view.js'
import type { GCodeFileRow } from './file-store.js'
import { fileView } from './file-view.js'
import { folderView } from './flat-view.js'
import { type GCodeFolderRecord, listFoldersByIds } from './folder-store.js'

/** How many prints a file is shown with: the newest ones. */
const MAX_PRINTS_OF_FILE = 20

export interface ShowFlowDeps {
  readonly database: Database
  readonly media: MediaUrls
}

export type ShowFlow = ReturnType<typeof showFlow>

/** Shows files and folders with what belongs to them, by two more reads however many there are. */
export function showFlow({ database: { db }, media }: ShowFlowDeps) {
  async function foldersById(
    userId: number,
    rows: readonly { readonly parent_folder_id: number | null }[],
  ): Promise<ReadonlyMap<number, GCodeFolderRecord>> {
    const ids = new Set(rows.flatMap(({ parent_folder_id: id }) => (id === null ? [] : [id])))
    const rowsOfFolders = await listFoldersByIds(db, userId, [...ids])
    return new Map(rowsOfFolders.map((folder) => [folder.id, folder]))
  }

  async function files(userId: number, rows: readonly GCodeFileRow[], { origin }: Exchange): Promise<GCodeFile[]> {
    const ids = rows.map(({ id }) => id)
    const [parents, prints] = await Promise.all([
      foldersById(userId, rows),
      listPrintsOfFiles(db, userId, ids, MAX_PRINTS_OF_FILE),
    ])
    const viewer = { origin, mediaUrl: media.urls(origin), canWrite: false }
    return rows.map((row) => {
      const folder = row.parent_folder_id === null ? undefined : parents.get(row.parent_folder_id)
      const own = prints.filter((print) => print.g_code_file_id === row.id)
      return fileView({ file: row, folder, prints: own }, viewer)
    })
  }

  async function file(userId: number, row: GCodeFileRow, exchange: Exchange): Promise<GCodeFile> {
    const [shown] = await files(userId, [row], exchange)
    if (shown === undefined) throw new Error('one file shows as one')
    return shown
  }

  async function folders(userId: number, rows: readonly GCodeFolderRecord[]): Promise<GCodeFolder[]> {
    const parents = await foldersById(userId, rows)
    return rows.map((folder) => folderView(folder, parents))
  }

  return { files, file, folders }
}
