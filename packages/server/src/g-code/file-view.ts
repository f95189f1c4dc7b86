import type { GCodeFile } from '@printwarden/protocol'
import type { PrintRecord } from '../prints/store.js'
import { printSummaryView, type Viewer } from '../prints/view.js'
import type { GCodeFileRow } from './file-store.js'
import { flatFileView, flatFolderView } from './flat-view.js'
import type { GCodeFolderRecord } from './folder-store.js'

/** Everything that a file is shown from. */
export interface FileFacts {
  readonly file: GCodeFileRow
  readonly folder: GCodeFolderRecord | undefined
  /** Newest first. */
  readonly prints: readonly PrintRecord[]
}

/** A file as lists show it. */
export function fileView({ file, folder, prints }: FileFacts, viewer: Viewer): GCodeFile {
  return {
    ...flatFileView(file, viewer.mediaUrl),
    parent_folder: folder === undefined ? null : flatFolderView(folder),
    print_set: prints.map((print) => printSummaryView(print, viewer)),
  }
}
