import { basename } from 'node:path'
import { HostError, type HostDeps, type PrinterHost } from '../../host.js'
import type { VirtualConfig } from '../../hosts.js'
import { advance, command, newMachine, start, type MachineEvent, type MachineSettings } from './machine.js'
import { sceneOf, snapshotOf, type Part } from './translate.js'

const TICK_MS = 500

/** Opens a printer that exists only in memory. The clock alone moves it, so that it does the same each time. */
export function openVirtualHost(config: VirtualConfig, { clock, report }: HostDeps): PrinterHost {
  const settings: MachineSettings = {
    durationMs: config.duration * 1000,
    heatingMs: config.heating * 1000,
    restMs: config.rest * 1000,
    repeat: config.repeat,
    autostart: config.autostart,
  }
  const part: Part = { ...settings, failAt: config.fail_at, seed: config.seed }
  let machine = newMachine(`part-${config.seed}.gcode`)
  let movedMs = clock.monotonicMs()
  let isClosed = false

  function move(): void {
    const nowMs = clock.monotonicMs()
    const step = advance(machine, settings, nowMs - movedMs)
    movedMs = nowMs
    machine = step.machine
    tell(step.events)
  }

  function tell(events: readonly MachineEvent[]): void {
    if (isClosed) return
    const snapshot = { type: 'snapshot', snapshot: snapshotOf(machine, part) } as const
    // A start is told with the state that it leads to.
    if (events.includes('started')) report(snapshot)
    for (const event of events) report({ type: 'print', event })
    report(snapshot)
  }

  function carryOut(wish: 'pause' | 'resume' | 'cancel'): void {
    move()
    const next = command(machine, wish)
    if (!next) throw new HostError('not_printing', `cannot ${wish}: the printer is ${machine.phase}`)
    machine = next
    tell([])
  }

  const stop = clock.every(TICK_MS, move)
  tell([])

  return {
    // There is nothing to retract or to lift on a printer without a nozzle.
    pause: async () => carryOut('pause'),
    resume: async () => carryOut('resume'),
    cancel: async () => carryOut('cancel'),
    print: async ({ name }) => {
      move()
      if (machine.phase !== 'idle') throw new HostError('rejected', 'the printer is busy')
      machine = start(machine, basename(name))
      tell(['started'])
      return machine.fileName
    },
    scene: () => sceneOf(machine, part),
    close: async () => {
      isClosed = true
      stop()
    },
  }
}
