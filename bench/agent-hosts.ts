import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startFakeMoonraker } from '../packages/agent/src/hosts/moonraker/fake-moonraker.js'
import { startFakeOctoPrint } from '../packages/agent/src/hosts/octoprint/fake-octoprint.js'

/** A printer host as the agent's section names it, doing what a real one does on the wire. */
export interface BenchHost {
  /** Lines of the `[printer …]` section. */
  readonly lines: readonly string[]
  /** G-code that the agent is to be told to print, where the host prints nothing by itself. */
  readonly file?: string
  stop(): Promise<void>
}

export const HOST_NAMES = ['virtual', 'octoprint', 'moonraker', 'serial', 'camera'] as const
export type HostName = (typeof HOST_NAMES)[number]

/** Starts the host. Real ones tell temperatures and progress about twice a second while they print, Klipper four times. */
export async function startBenchHost(name: HostName, isPrinting: boolean): Promise<BenchHost> {
  switch (name) {
    case 'virtual':
      return { lines: ['host: virtual', 'duration: 7200', 'heating: 0', `autostart: ${isPrinting}`], stop: nothing }
    case 'octoprint':
      return octoPrint(isPrinting)
    case 'moonraker':
      return moonraker(isPrinting)
    case 'serial':
      return serial(isPrinting)
    case 'camera':
      // At rest it looks for motion, which is never seen long enough; printing it is seen from the first minute on.
      return { lines: ['host: camera', 'motion: yes', `motion_minutes: ${isPrinting ? 0.1 : 240}`], stop: nothing }
  }
}

async function nothing(): Promise<void> {
  // There is nothing to stop.
}

async function octoPrint(isPrinting: boolean): Promise<BenchHost> {
  const fake = await startFakeOctoPrint()
  if (isPrinting) fake.startPrint('bench.gcode')
  let tick = 0
  const ticks = setInterval(() => {
    tick += 1
    if (isPrinting) fake.progress((tick / 144) % 100)
    fake.heat({ tool0: { actual: 210 + wobble(tick), target: isPrinting ? 210 : 0 }, bed: { actual: 60, target: 60 } })
  }, 500)
  return {
    lines: ['host: octoprint', `url: ${fake.url}`, `api_key: ${fake.apiKey}`],
    stop: async () => {
      clearInterval(ticks)
      await fake.stop()
    },
  }
}

async function moonraker(isPrinting: boolean): Promise<BenchHost> {
  const fake = await startFakeMoonraker()
  if (isPrinting) fake.startPrint('bench.gcode')
  let tick = 0
  const ticks = setInterval(() => {
    tick += 1
    fake.set({
      extruder: { temperature: 210 + wobble(tick) },
      heater_bed: { temperature: 60 + wobble(tick + 3) },
      ...(isPrinting
        ? { virtual_sdcard: { progress: (tick / 28_800) % 1 }, print_stats: { print_duration: tick / 4 } }
        : {}),
    })
  }, 250)
  return {
    lines: ['host: moonraker', `url: ${fake.url}`, `api_key: ${fake.apiKey}`],
    stop: async () => {
      clearInterval(ticks)
      await fake.stop()
    },
  }
}

/** A printer on a pseudo terminal that takes 40 lines a second, as curves do at a usual speed. */
async function serial(isPrinting: boolean): Promise<BenchHost> {
  const folder = await mkdtemp(join(tmpdir(), 'printwarden-bench-serial-'))
  const device = join(folder, 'ttyBENCH')
  const script = fileURLToPath(new URL('serial-printer.py', import.meta.url))
  const printer = spawn('python3', [script, device, '25'], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(printer.stdout, 'data')
  const moves = Array.from({ length: 40_000 }, (_, index) => `G1 X${index % 200} Y${index % 150} E${index}`)
  return {
    lines: ['host: serial', `device: ${device}`, 'baud: 115200', 'prints_from: agent'],
    ...(isPrinting ? { file: ['G90', ...moves, ''].join('\n') } : {}),
    stop: async () => {
      printer.kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const wobble = (tick: number): number => Math.round(Math.sin(tick) * 50) / 100
