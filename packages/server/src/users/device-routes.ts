import { endpoints, MobileDevice } from '@printwarden/protocol'
import { ApiError } from '../errors.js'
import type { Api } from '../http/api.js'
import type { Clock, Database } from '../ports.js'
import { instantView } from '../prints/view.js'
import {
  findMobileDevice,
  listMobileDevices,
  type MobileDeviceRow,
  pruneMobileDevices,
  saveMobileDevice,
} from './device-store.js'

/** More than anybody carries about; a program that makes up tokens must not fill the database. */
const MAX_DEVICES = 50

/** The phones and tablets that take push messages for a user (wire facts, section 1.13). */
export function deviceRoutes(
  api: Api,
  { database, clock }: { readonly database: Database; readonly clock: Clock },
): void {
  api.handle(endpoints.listMobileDevices, async (_, caller, { reply }) => {
    const devices = await listMobileDevices(database.db, caller.user_id)
    reply.header('x-total-count', devices.length)
    return devices.map(deviceView)
  })

  api.handle(endpoints.getMobileDevice, async ({ params }, caller) => {
    const device = await findMobileDevice(database.db, caller.user_id, params.id)
    if (device === undefined) throw new ApiError('not_found')
    return deviceView(device)
  })

  api.handle(endpoints.registerMobileDevice, async ({ body }, caller) => {
    const now = clock.now()
    const { preferred_timezone = null, ...same } = body
    const row = { ...same, preferred_timezone, user_id: caller.user_id, created_at: now, updated_at: now }
    const device = await database.transaction(async (trx) => {
      const saved = await saveMobileDevice(trx, { ...row, deactivated_at: null })
      await pruneMobileDevices(trx, caller.user_id, MAX_DEVICES)
      return saved
    })
    return deviceView(device)
  })
}

function deviceView({ user_id, ...device }: MobileDeviceRow): MobileDevice {
  return {
    ...device,
    user: user_id,
    platform: MobileDevice.shape.platform.parse(device.platform),
    deactivated_at: instantView(device.deactivated_at),
    created_at: instantView(device.created_at),
    updated_at: instantView(device.updated_at),
  }
}
