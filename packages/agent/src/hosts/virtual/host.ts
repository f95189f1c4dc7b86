import { basename } from 'node:path'
import { HostError, type HostDeps, type PrinterHost } from '../../host.js'
import type { VirtualConfig } from '../../hosts.js'
import {
  advance,
  command,
  halt,
  newMachine,
  recover,
  start,
  type MachineEvent,
  type MachineSettings,
} from './machine.js'
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
  // What it was given stays, as on a real printer.
  const files = new Set([`part-${config.seed}.gcode`])
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

  function begin(fileName: string): void {
    move()
    if (machine.phase !== 'idle') throw new HostError('rejected', 'the printer is busy')
    machine = start(machine, fileName)
    tell(['started'])
  }

  const stop = clock.every(TICK_MS, move)
  tell([])

  return {
    // There is nothing to retract or to lift on a printer without a nozzle.
    pause: async () => carryOut('pause'),
    resume: async () => carryOut('resume'),
    cancel: async () => carryOut('cancel'),
    print: async ({ name }) => {
      begin(basename(name))
      files.add(machine.fileName)
      return machine.fileName
    },
    listFiles: async () => [...files].map((path) => ({ path, origin: 'local', size: null, date: null })),
    printOwn: async (path) => {
      if (!files.has(path)) throw new HostError('rejected', `there is no file ${path}`)
      begin(path)
    },
    emergencyStop: async () => {
      move()
      const step = halt(machine)
      machine = step.machine
      tell(step.events)
    },
    connectPrinter: async () => {
      move()
      machine = recover(machine)
      tell([])
    },
    scene: () => sceneOf(machine, part),
    close: async () => {
      isClosed = true
      stop()
    },
  }
}
