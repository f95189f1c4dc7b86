import type { PauseArgs } from '@printwarden/protocol'
import { HostError, type HostMemory, type HostPhase } from '../../host.js'
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

interface Booking {
  readonly args: PauseArgs
  readonly modes: Promise<SettledModes>
  isBegun: boolean
}

export function openParkingLot(client: Pick<OctoPrintClient, 'sendGCode'>, memory: HostMemory, log: Log): ParkingLot {
  let booked: Booking | undefined
  let parked: Parked | undefined = Parked.safeParse(memory.load()).data
  let phase: HostPhase = 'offline'
  /** The parking commands, on their way to OctoPrint. */
  let sent: Promise<void> = Promise.resolve()
  let leaving: Promise<void> | undefined

  function keep(value: Parked | undefined): void {
    if (value === parked) return
    parked = value
    memory.save(value ?? null)
  }

  async function park(view: View): Promise<void> {
    const mine = booked
    if (!mine || mine.isBegun) return
    mine.isBegun = true
    const planned = planParking(mine.args, view.temperatures, await mine.modes)
    // Given up meanwhile: the print goes on.
    if (booked !== mine) return
    booked = undefined
    if (!planned || phase !== 'paused') return
    const plan = { ...planned, file: view.job?.file.path }
    // Kept before it is done: after a crash in between, undoing what was not done is the lesser evil.
    keep(plan)
    sent = client.sendGCode(parkingCommands(plan)).catch((error: unknown) => {
      // Refused, nothing of it was done: undoing it would drive the nozzle into the print.
      if (parked === plan && isRefusal(error)) keep(undefined)
      throw error
    })
    await sent
    log.info({ parked: plan }, 'the print is parked')
  }

  /** Once, whoever asks while it is under way: done twice, it would drive the nozzle into the print. */
  function leave(): Promise<void> {
    leaving ??= undo().finally(() => {
      leaving = undefined
    })
    return leaving
  }

  async function undo(): Promise<void> {
    booked = undefined
    const mine = parked
    if (!mine) return
    // Overtaken by the commands that undo them, these would lift and cool the nozzle of a running print.
    if (await sent.then(() => false, isRefusal)) return
    await client.sendGCode(unparkingCommands(mine)).catch((error: unknown) => {
      // Only the answer may be lost. To stay lifted is a lesser evil than to be driven into the print, so no move is made twice.
      if (parked === mine && !isRefusal(error)) keep({ ...mine, retract: 0, lift_z: 0 })
      throw error
    })
    if (parked === mine) keep(undefined)
  }

  /** While nobody watched, another print may have begun, to which the plan means nothing. */
  function forgetOther({ job }: View): void {
    if (parked?.file !== undefined && job && job.file.path !== parked.file) keep(undefined)
  }

  return {
    book: (args, modes) => {
      if (!parked) booked = { args, modes, isBegun: false }
    },
    follow: (view) => {
      phase = phaseOf(view)
      forgetOther(view)
      switch (phase) {
        case 'paused':
          park(view).catch((err: unknown) => log.warn({ err }, 'the print is paused but could not be parked'))
          return
        case 'resuming':
          // Not by us, since we leave first. The commands still come before the next line of the job.
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

/** Whether OctoPrint has surely not done what it was asked for. When only its answer is lost, nobody knows. */
function isRefusal(error: unknown): boolean {
  return error instanceof HostError && error.code !== 'unreachable'
}
