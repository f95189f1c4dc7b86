import type { Clock } from '../packages/agent/src/time/clock.js'
import { loadConfig } from '../packages/agent/src/config/config.js'
import { openPrinter } from '../packages/agent/src/flow.js'
import type { Log } from '../packages/agent/src/log/log.js'
import { systemClock } from '../packages/agent/src/time/system-clock.js'

// The agent by a clock that runs faster: `scaled-agent.ts CONFIG TIMES`. Everything that it does by the clock (reports, pictures, the
// print itself) happens so many times as often.

const [path = '', times = '1'] = process.argv.slice(2)
const scale = Number(times)
const startWallMs = Date.now()
const startMs = systemClock.monotonicMs()
const passedMs = (): number => (systemClock.monotonicMs() - startMs) * scale

const clock: Clock = {
  wallMs: () => startWallMs + passedMs(),
  monotonicMs: () => startMs + passedMs(),
  after: (delayMs, work) => systemClock.after(delayMs / scale, work),
  every: (periodMs, work) => systemClock.every(periodMs / scale, work),
}

const silent = (): void => undefined
const log: Log = { debug: silent, info: silent, warn: console.error, error: console.error, child: () => log }

const { config, stateFolder } = await loadConfig(path)
for (const printer of config.printers) {
  const { serverUrl } = config
  await openPrinter({ config: printer, serverUrl, stateFolder, version: 'bench', clock, log, random: Math.random })
}
process.once('SIGTERM', () => process.exit(0))
