import { endpoints } from '@printwarden/protocol'
import { ApiError } from '../../errors.js'
import type { Api } from '../../http/api.js'
import type { Database } from '../../ports.js'
import { findVisiblePrinter } from '../../printers/store.js'
import { selfTestView } from '../../printers/watching-view.js'
import { listCameras } from '../cameras/cameras-store.js'
import type { SelfTestFlow } from './self-test-flow.js'

export interface SelfTestRoutesDeps {
  readonly database: Database
  readonly selfTests: Pick<SelfTestFlow, 'run'>
}

const GAVE_WAY = 'Other pictures were more urgent than this test, or another test of this camera. Try again.'

/** Self-tests that a user asks for. */
export function selfTestRoutes(api: Api, { database, selfTests }: SelfTestRoutesDeps): void {
  /** Printers of which a test is under way: the detector is there for pictures. */
  const testing = new Set<number>()

  api.handle(endpoints.runSelfTest, async ({ params, query }, caller) => {
    const printer = await findVisiblePrinter(database.db, caller.user_id, params.id)
    if (printer === undefined) throw new ApiError('not_found')
    const cameras = await listCameras(database.db, printer.id)
    const camera = query.camera_id === undefined ? cameras[0] : cameras.find(({ id }) => id === query.camera_id)
    if (camera === undefined) {
      if (query.camera_id !== undefined) throw new ApiError('not_found')
      throw new ApiError('conflict', 'No camera of this printer has sent a picture yet.')
    }
    if (testing.has(printer.id)) throw new ApiError('conflict', 'A self-test is under way.')
    testing.add(printer.id)
    try {
      const test = await selfTests.run(camera)
      if (test === undefined) throw new ApiError('conflict', GAVE_WAY)
      return selfTestView(test)
    } finally {
      testing.delete(printer.id)
    }
  })
}
