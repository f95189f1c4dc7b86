import { abuserBench } from '../abuser.js'
import { commandBench } from '../command.js'
import { connectStormBench } from '../connect-storm.js'
import { fanOutBench } from '../fan-out.js'
import { idleRssBench } from '../idle-rss.js'
import { mixedDayBench } from '../mixed-day.js'
import { printingRssBench } from '../printing-rss.js'
import { restBench } from '../rest.js'
import { scalingBench } from '../scaling.js'
import { snapshotsBench } from '../snapshots.js'
import { startBench } from '../start.js'
import { statusBench } from '../status.js'
import type { Bench } from './bench.js'

/** The benchmarks of the load generator. */
export const LOAD_BENCHES: readonly Bench[] = [
  statusBench,
  snapshotsBench,
  restBench,
  commandBench,
  connectStormBench,
  idleRssBench,
  printingRssBench,
  fanOutBench,
  startBench,
  mixedDayBench,
  scalingBench,
  abuserBench,
]
