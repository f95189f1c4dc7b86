import type { Costs, Habits, Plant } from './capacity.js'

/**
 * What each unit costs on two shared x86 cores, beside each the benchmark that gives it, with --engine fleet where it may be given; in one afternoon, when the machine
 * was half as fast as on other days. CPU is of pictures of 640×480, bytes are of 1280×720.
 */
export const COSTS: Costs = {
  statusMs: 0.32, // scaling, one server with 1,000 a second: 0.324; with 4,000 a second 0.175 (aims, status)
  shownMs: 0.09, // fan-out, 200 printers on 20 dashboards: 0.091
  pictureMs: 6.6, // aims, snapshots: 6.6
  lookMs: 36, // detection: 35.5 and 43.0, of two runs
  videoMs: 17, // timelapse: 16.6, plain, by the encoder that is built in
  requestMs: 2, // aims, rest: 1.5 to 2.0
  redisStatusMs: 0.096, // scaling, four servers with 250 a second each: 0.096; fewer with more to do: 0.052
  serverMb: 200, // status-messages, under load: 201
  agentKb: 28, // idle-rss --agents 5000: 28.0
  detectorMb: 230, // start: 230
  rowsPerPicture: 2, // mixed-day: 2.04
  rowsPerPrint: 32, // mixed-day: 32.2
  recordBytesPerPicture: 300, // mixed-day: 300, of 55 to 573, since a database grows by pages
  recordBytesPerPrint: 6700, // mixed-day: 6,690, of 410 to 29,764
  rowsPerPrintedMinute: 1, // INTERVAL_MS of packages/server/src/prints/temperatures.ts, while nothing changes
  recordBytesPerPrintedMinute: 120, // a row of two heaters with its index entry
  videoBytesPerPicture: 4000, // assumed, of 1280×720; mixed-day: 2,086 of 640×480
  pictureBytes: 50_000, // predictions: a picture of 1280×720
}

/** Assumptions. Intervals are those of our agent. */
export const HABITS: Habits = {
  printingAtPeak: 0.5,
  printingHours: 8,
  printsPerDay: 2,
  secondsBetweenStatus: { printing: 3.5, idle: 30 },
  secondsBetweenPictures: { printing: 10, idle: 120 },
  viewed: 0.05,
  requestsPerMinute: 0.5,
  videoDays: 90,
  predictionDays: 90,
}

/** Assumptions: rented virtual machines, in euros a month, about what they cost at providers in 2026. Traffic is not counted. */
export const PLANT: Plant = {
  coresPerServer: 8,
  gbPerServer: 16,
  fullness: 0.6,
  rowsPerSecond: 20_000,
  redisCores: 0.6,
  redisBytesPerSecond: 400e6, // a third of 10 Gbit/s
  prices: { server: 60, databaseServer: 250, redisServer: 60, databaseGb: 0.1, objectGb: 0.02 },
}
