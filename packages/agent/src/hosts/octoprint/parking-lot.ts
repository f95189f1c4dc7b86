import type { PauseArgs } from '@printwarden/protocol'
import type { HostMemory, HostPhase } from '../../host.js'
import type { Log } from '../../log/log.js'
import type { OctoPrintClient } from './client.js'
import type { SettledModes } from './modes.js'
import { Parked, parkingCommands, planParking, unparkingCommands } from './parking.js'
import { phaseOf, type View } from './translate.js'

/** Parks the paused print, and undoes it before the print goes on. */
export interface ParkingLot {
  /** Parks the print as `args` say, as soon as the printer has paused. */
  book(args: PauseArgs, modes: Promise<SettledModes>): void
  /** Looks at the printer's state, and does what falls due. */
  follow(view: View): void
  /** Undoes the parking. OctoPrint sends these commands before the lines of the resumed job. */
  leave(): Promise<void>
}

export function openParkingLot(client: OctoPrintClient, memory: HostMemory, log: Log): ParkingLot {
  let booked: { args: PauseArgs; modes: Promise<SettledModes> } | undefined
  let parked: Parked | undefined = Parked.safeParse(memory.load()).data
  let phase: HostPhase = 'offline'

  function keep(value: Parked | undefined): void {
    if (value === parked) return
    parked = value
    memory.save(value ?? null)
  }

  async function park(view: View): Promise<void> {
    if (!booked) return
    const { args, modes } = booked
    booked = undefined
    const plan = planParking(args, view.temperatures, await modes)
    if (!plan || phase !== 'paused') return
    // Kept before it is done: after a crash in between, undoing what was not done is the lesser evil.
    keep(plan)
    await client.sendGCode(parkingCommands(plan))
    log.info({ parked: plan }, 'the print is parked')
  }

  async function leave(): Promise<void> {
    if (!parked) return
    await client.sendGCode(unparkingCommands(parked))
    keep(undefined)
  }

  return {
    book: (args, modes) => {
      if (!parked) booked = { args, modes }
    },
    follow: (view) => {
      phase = phaseOf(view)
      switch (phase) {
        case 'paused':
          park(view).catch((err: unknown) => log.warn({ err }, 'the print is paused but could not be parked'))
          return
        case 'resuming':
          // Not by us, since we leave first. The commands still come before the next line of the job.
          booked = undefined
          leave().catch((err: unknown) => log.warn({ err }, 'the parked print could not be brought back'))
          return
        case 'printing':
          // Resumed while nobody watched. Moving now, in the middle of the print, would only do more harm.
          if (parked) log.warn({ parked }, 'a parked print was resumed elsewhere, without undoing the parking')
          keep(undefined)
          return
        case 'idle':
        case 'cancelling':
        case 'finishing':
          booked = undefined
          keep(undefined)
          return
        case 'pausing':
        case 'offline':
          return
      }
    },
    leave,
  }
}
