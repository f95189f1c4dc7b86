import type { PauseArgs } from '@printwarden/protocol'
import type { Clock } from '../../time/clock.js'
import { HostError, type HostPhase } from '../../host.js'
import type { Log } from '../../log/log.js'
import { mergeObjects, readStatus, type Objects } from './objects.js'
import {
  heatingScript,
  isHot,
  parkingQuery,
  parkingScript,
  planParking,
  unparkingScript,
  type Parked,
} from './parking.js'
import { phaseOf, type View } from './translate.js'

/** Parks the paused print, and undoes it before the print goes on. */
export interface ParkingLot {
  /** Parks the print as `args` say, as soon as it has paused. */
  book(args: PauseArgs): void
  /** Looks at the printer's state, and does what falls due. */
  follow(view: View): void
  /**
   * Undoes the parking: heats up, which may take minutes, and pushes the filament back.
   *
   * @throws {HostError} `rejected` when it does not get hot, or when the print ends meanwhile
   */
  leave(): Promise<void>
}

export interface ParkingDeps {
  /** Runs a script of G-code. */
  readonly runScript: (script: string) => Promise<unknown>
  /** Asks for the present values of objects. */
  readonly query: (objects: Record<string, readonly string[]>) => Promise<unknown>
  readonly initial: Parked | undefined
  /** Keeps what was done, for the agent that comes after a restart. */
  readonly keep: (parked: Parked | undefined) => void
  readonly clock: Clock
  readonly log: Log
}

/** A bed takes ten minutes at worst. */
const HEATING_TIMEOUT_MS = 20 * 60_000

interface Heating {
  readonly parked: Parked
  readonly done: () => void
  readonly fail: (error: HostError) => void
}

export function openParkingLot(deps: ParkingDeps): ParkingLot {
  const { runScript, query, keep, clock, log } = deps
  let booked: PauseArgs | undefined
  let parked = deps.initial
  let phase: HostPhase = 'offline'
  let objects: Objects = {}
  let heating: Heating | undefined

  function note(value: Parked | undefined): void {
    if (value === parked) return
    parked = value
    keep(value)
  }

  async function park(args: PauseArgs): Promise<void> {
    const current = mergeObjects(objects, readStatus(await query(parkingQuery(objects))))
    const plan = planParking(args, current)
    if (!plan || phase !== 'paused') return
    // Kept before it is done: after a crash in between, undoing what was not done is the lesser evil.
    note(plan)
    await runScript(parkingScript(plan))
    log.info({ parked: plan }, 'the print is parked')
  }

  function heat(plan: Parked): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        heating = undefined
        stopTimer()
        finish()
      }
      const stopTimer = clock.after(HEATING_TIMEOUT_MS, () =>
        settle(() => reject(new HostError('rejected', 'the heaters do not get hot again'))),
      )
      heating = { parked: plan, done: () => settle(resolve), fail: (error) => settle(() => reject(error)) }
      checkHeating()
    })
  }

  function checkHeating(): void {
    if (!heating) return
    if (phase !== 'resuming') return heating.fail(new HostError('rejected', 'the print is no longer paused'))
    if (isHot(heating.parked, objects)) heating.done()
  }

  return {
    book: (args) => {
      if (!parked) booked = args
    },
    follow: (view) => {
      phase = phaseOf(view)
      objects = view.objects
      checkHeating()
      switch (phase) {
        case 'paused': {
          const args = booked
          booked = undefined
          if (args) park(args).catch((err: unknown) => log.warn({ err }, 'the print is paused but could not be parked'))
          return
        }
        case 'printing':
          booked = undefined
          if (parked) rescue(parked)
          note(undefined)
          return
        case 'idle':
        case 'cancelling':
          booked = undefined
          note(undefined)
          return
        case 'pausing':
        case 'resuming':
        case 'finishing':
        case 'offline':
          return
      }
    },
    leave: async () => {
      if (!parked) return
      const plan = parked
      const heat_up = heatingScript(plan)
      if (heat_up) {
        await runScript(heat_up)
        await heat(plan)
      }
      const unpark = unparkingScript(plan)
      if (unpark) await runScript(unpark)
      note(undefined)
    },
  }

  /** Resumed at the printer itself. All that helps now is heat: moving in the middle of the print would do more harm. */
  function rescue(plan: Parked): void {
    log.warn({ parked: plan }, 'a parked print was resumed elsewhere, without undoing the parking')
    const script = heatingScript(plan)
    if (script) runScript(script).catch((err: unknown) => log.warn({ err }, 'the heaters could not be turned on again'))
  }
}
