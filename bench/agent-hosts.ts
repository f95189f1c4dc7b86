import { startFakeMoonraker } from '../packages/agent/src/hosts/moonraker/fake-moonraker.js'
import { startFakeOctoPrint } from '../packages/agent/src/hosts/octoprint/fake-octoprint.js'

/** A printer host as the agent's section names it, doing what a real one does on the wire. */
export interface BenchHost {
  /** Lines of the `[printer …]` section. */
  readonly lines: readonly string[]
  stop(): Promise<void>
}

export const HOST_NAMES = ['virtual', 'octoprint', 'moonraker', 'camera'] as const
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

const wobble = (tick: number): number => Math.round(Math.sin(tick) * 50) / 100
