import type { Api } from '../http/api.js'
import type { UserUploads } from '../limits/user-uploads.js'
import type { BlobStore, Clock, Database, LiveStore, Log, Secrets } from '../ports.js'
import type { FactsFlow } from '../printers/facts-flow.js'
import type { PrinterFlow } from '../printers/flow.js'
import type { MediaUrls } from '../prints/view.js'
import { agentGCodeFileRoutes } from './agent-file-routes.js'
import { fileFlow } from './file-flow.js'
import { gCodeFileRoutes } from './file-routes.js'
import { folderFlow } from './folder-flow.js'
import { gCodeFolderRoutes } from './folder-routes.js'
import { type PrintFlow, printFlow } from './print-flow.js'
import { removalFlow } from './removal-flow.js'
import { showFlow } from './show-flow.js'
import { slicerFlow } from './slicer-flow.js'
import { slicerRoutes } from './slicer-routes.js'
import { type UploadFlow, uploadFlow } from './upload-flow.js'

export interface GCodeRoutesDeps {
  readonly database: Database
  readonly blobs: BlobStore
  readonly live: LiveStore
  readonly clock: Clock
  readonly log: Log
  readonly secrets: Secrets
  readonly printers: Pick<PrinterFlow, 'write' | 'sendWritten'>
  readonly facts: FactsFlow
  readonly media: MediaUrls
  readonly userUploads: UserUploads
  readonly maxGCodeBytes: number
}

/** What other doors to the same files need. */
export interface GCode {
  readonly uploads: UploadFlow
  readonly printing: PrintFlow
  close(): void
}

/** Everything about stored G-code, put together. */
export async function gCodeRoutes(api: Api, deps: GCodeRoutesDeps): Promise<GCode> {
  const removals = removalFlow(deps)
  const uploads = uploadFlow(deps)
  const files = fileFlow({ ...deps, removals })
  const folders = folderFlow({ ...deps, removals })
  const printing = printFlow(deps)
  const show = showFlow(deps)
  const slicers = slicerFlow({ ...deps, folders, printing })
  gCodeFileRoutes(api, { ...deps, files, uploads, printing, slicers, show })
  gCodeFolderRoutes(api, { ...deps, folders, show })
  agentGCodeFileRoutes(api, { ...deps, files, show })
  slicerRoutes(api, { ...deps, uploads, slicers })
  await removals.start()
  return { uploads, printing, close: removals.close }
}
