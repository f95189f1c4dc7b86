import type { MobileDevice } from '@printwarden/protocol'
import { callerOf, type Handlers, visible } from './fake-handlers.js'
import type { FakeState } from './fake-state.js'

const MAX_DEVICES = 50

/** Phones that take push messages. */
export function deviceHandlers(state: FakeState): Handlers {
  const devices = new Map<number, { readonly userId: number; readonly device: MobileDevice }>()
  const own = (userId: number) => [...devices.values()].filter((entry) => entry.userId === userId)

  return {
    listMobileDevices(call) {
      const found = own(callerOf(call).id)
      call.reply.set('x-total-count', String(found.length))
      return found.map(({ device }) => device)
    },
    getMobileDevice: (call) => visible(call, devices.get(call.params.id)).device,
    registerMobileDevice(call) {
      const userId = callerOf(call).id
      const known = own(userId).find(({ device }) => device.device_token === call.body.device_token)?.device
      const device: MobileDevice = {
        id: known?.id ?? state.nextId(),
        user: userId,
        platform: call.body.platform,
        app_version: call.body.app_version,
        device_token: call.body.device_token,
        preferred_timezone: call.body.preferred_timezone ?? known?.preferred_timezone ?? null,
        deactivated_at: null,
        created_at: known?.created_at ?? state.now(),
        updated_at: state.now(),
      }
      devices.set(device.id, { userId, device })
      const [oldest] = own(userId)
      if (oldest !== undefined && own(userId).length > MAX_DEVICES) devices.delete(oldest.device.id)
      return device
    },
  }
}
