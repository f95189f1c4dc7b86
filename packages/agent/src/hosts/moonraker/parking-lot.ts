import type { PauseArgs } from '@printwarden/protocol'
import type { Clock } from '../../time/clock.js'
import { HostError, type HostPhase } from '../../host.js'
import type { Log } from '../../log/log.js'
import { mergeObjects, printStatsOf, readStatus, type Objects } from './objects.js'
import {
  coolingScript,
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
   * @throws {HostError} `rejected` when it does not get hot, or when the print ends or is to stay paused meanwhile
   */
  leave(): Promise<void>
  /** Whether the parking is being undone, and Klipper does not know yet that the print is to go on. */
  readonly isLeaving: boolean
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
  /** Names the leaving that counts: one that was given up may still wait for Klipper when the next begins. */
  let leaving: symbol | undefined

  function note(value: Parked | undefined): void {
    if (value === parked) return
    parked = value
    keep(value)
  }

  async function park(args: PauseArgs): Promise<void> {
    const current = mergeObjects(objects, readStatus(await query(parkingQuery(objects))))
    const planned = planParking(args, current)
    if (!planned || phase !== 'paused') return
    const plan = { ...planned, file: printStatsOf(objects).filename }
    // Kept before it is done: after a crash in between, undoing what was not done is the lesser evil.
    note(plan)
    await runScript(parkingScript(plan))
    log.info({ parked: plan }, 'the print is parked')
  }

  /** While nobody watched, another print may have begun, to which the plan means nothing. */
  function forgetOther(): void {
    const { filename } = printStatsOf(objects)
    if (parked?.file !== undefined && filename !== '' && filename !== parked.file) note(undefined)
  }

  async function undo(plan: Parked, mine: symbol): Promise<void> {
    const heat_up = heatingScript(plan)
    if (heat_up) await heatUp(plan, heat_up, mine)
    const unpark = unparkingScript(plan)
    if (unpark) await runScript(unpark)
    note(undefined)
    if (phase === 'paused') throw givenUp()
  }

  async function heatUp(plan: Parked, script: string, mine: symbol): Promise<void> {
    try {
      await runScript(script)
      if (leaving !== mine) throw givenUp()
      await heat(plan)
    } catch (error) {
      // Still paused and parked, the print would stand under hot nozzles, and nobody would look after them.
      if (leaving === mine && parked === plan && phase !== 'offline') coolDown(plan)
      throw error
    }
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
    if (phase !== 'resuming') return heating.fail(givenUp())
    if (isHot(heating.parked, objects)) heating.done()
  }

  return {
    book: (args) => {
      if (!parked) booked = args
    },
    follow: (view) => {
      phase = phaseOf(view)
      objects = view.objects
      forgetOther()
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
      const mine = Symbol('leaving')
      leaving = mine
      try {
        await undo(parked, mine)
      } finally {
        if (leaving === mine) leaving = undefined
      }
    },
    get isLeaving() {
      return leaving !== undefined
    },
  }

  function coolDown(plan: Parked): void {
    const script = coolingScript(plan)
    runScript(script).catch((err: unknown) => log.warn({ err }, 'the heaters could not be turned off again'))
  }

  /** Resumed at the printer itself. All that helps now is heat: moving in the middle of the print would do more harm. */
  function rescue(plan: Parked): void {
    log.warn({ parked: plan }, 'a parked print was resumed elsewhere, without undoing the parking')
    const script = heatingScript(plan)
    if (script) runScript(script).catch((err: unknown) => log.warn({ err }, 'the heaters could not be turned on again'))
  }
}

function givenUp(): HostError {
  return new HostError('rejected', 'the resume was given up: the print has ended, or is to stay paused')
}
