import type { PauseArgs } from '@printwarden/protocol'
import type { HostDeps, HostPhase } from '../../host.js'
import { planParking, type Parked } from '../octoprint/parking.js'
import { choiceToGoOn, type Prompt } from './actions.js'
import type { Connection } from './connection-client.js'
import type { FilePrint } from './file-print.js'
import { parkCommands, unparkCommands } from './parking.js'
import { isUserWait } from './command-kinds.js'
import type { Telling } from './telling.js'
import { temperaturesOf } from './translate.js'

/** After heaters were set, so that what is told next is true. */
export const READ_TEMPERATURES = 'M105'

/** What a pause needs of the host whose print it is. */
export interface PauseDeps {
  readonly connection: Connection
  readonly telling: Telling
  readonly report: HostDeps['report']
  readonly print: () => FilePrint | undefined
  /** Answers whether it is still the same print, in the same phase, each time it is asked. */
  readonly mark: (phase: HostPhase) => () => boolean
  /** Carries out what needs answers of the printer; what fails is logged under `what`. */
  readonly inBackground: (what: string, work: () => Promise<void>) => void
}

/** The pause of a print that is sent from here: asked for, with parking, or made by the firmware itself. */
export class PrintPause {
  private parked: Parked | undefined
  private madeByFirmware = false

  constructor(private readonly deps: PauseDeps) {}

  /** Whether the firmware itself has stopped the print, for somebody to change filament. */
  get isByFirmware(): boolean {
    return this.madeByFirmware
  }

  /** A new print knows nothing of the pauses of the one before. */
  forget(): void {
    this.parked = undefined
    this.madeByFirmware = false
  }

  /** Stops between two lines of the file, and parks once the moves are done. */
  begin(args: PauseArgs): void {
    const { connection, telling } = this.deps
    telling.enter('pausing')
    connection.setJob('paused')
    this.deps.inBackground('the print could not be paused', () => this.park(args))
  }

  end(prompt: Prompt | undefined): void {
    const { connection, telling } = this.deps
    telling.enter('resuming')
    if (this.madeByFirmware && connection.waitsFor !== undefined) {
      if (prompt?.isShown) connection.sendPastQueue(`M876 S${choiceToGoOn(prompt)}`)
      connection.sendPastQueue('M108')
    }
    this.deps.inBackground('the print could not be resumed', () => this.goOn())
  }

  /** The firmware says that it has paused. */
  takePause(): void {
    const { connection, telling, mark } = this.deps
    const { phase } = telling.view
    if (this.madeByFirmware || (phase !== 'printing' && phase !== 'pausing')) return
    this.madeByFirmware = true
    connection.setJob('paused')
    this.tellPaused()
    // A line of the file that waits for somebody: when it is answered, somebody was there.
    if (!isUserWait(connection.waitsFor)) return
    this.deps.inBackground('the end of the wait was not seen', async () => {
      const isStillPaused = mark('paused')
      await connection.send(['M105'])
      if (isStillPaused()) this.takeResume()
    })
  }

  /** The printer goes on. */
  takeResume(): void {
    this.forget()
    this.deps.report({ type: 'print', event: 'resumed' })
    this.deps.telling.enter('printing')
    this.deps.connection.setJob('running')
  }

  private async park(args: PauseArgs): Promise<void> {
    const { connection, telling } = this.deps
    const isStillPausing = this.deps.mark('pausing')
    await connection.send(['M400', READ_TEMPERATURES])
    const print = this.deps.print()
    if (!isStillPausing() || !print) return
    const { axes, extruder } = print.gCode
    const parked = planParking(args, temperaturesOf(telling.view.temperatures), { axes, extruder })
    if (parked) await connection.send([...parkCommands(parked), READ_TEMPERATURES])
    if (!isStillPausing()) return
    this.parked = parked
    this.tellPaused()
  }

  private async goOn(): Promise<void> {
    const isStillResuming = this.deps.mark('resuming')
    const print = this.deps.print()
    if (!print) return
    // Where the firmware has paused, it also goes back by itself; the answer says that it is done.
    await this.deps.connection.send(this.madeByFirmware ? ['M105'] : unparkCommands(this.parked, print.gCode))
    if (isStillResuming()) this.takeResume()
  }

  private tellPaused(): void {
    this.deps.report({ type: 'print', event: 'paused' })
    this.deps.telling.enter('paused')
  }
}
