import { isActive } from '../../tracking/host-state.js'
import type { HostPhase } from '../../host.js'

/** What follows from an action of the firmware. `paused` and `resumed` are things that it has done by itself. */
export type FirmwareRequest = 'pause' | 'resume' | 'cancel' | 'disconnect' | 'paused' | 'resumed'

/** What a firmware's action line asks of the host that prints; undefined when there is nothing to do. */
export function requestOf(action: string, phase: HostPhase, hasFirmwarePaused: boolean): FirmwareRequest | undefined {
  switch (action) {
    case 'pause':
    case 'out_of_filament':
      return phase === 'printing' ? 'pause' : undefined
    case 'resume':
      return phase === 'paused' ? 'resume' : undefined
    case 'resumed':
      return phase === 'paused' && hasFirmwarePaused ? 'resumed' : undefined
    case 'cancel':
      return isActive(phase) ? 'cancel' : undefined
    case 'paused':
    case 'disconnect':
      return action
    default:
      return undefined
  }
}
