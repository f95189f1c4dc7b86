import type { Costs, Habits, Plant } from './capacity.js'

/**
 * What each unit costs on two shared x86 cores, beside each the benchmark that gives it (with --engine fleet where it may be given). Those marked as
 * assumed have not been measured on a quiet machine yet.
 */
export const COSTS: Costs = {
  statusMs: 0.18, // aims, status: 0.178
  shownMs: 0.05, // fan-out; assumed
  pictureMs: 7, // aims, snapshots: 7.0
  lookMs: 35, // detection: 34.7 and 43.0
  videoMs: 17, // timelapse: 16.6, plain, by the encoder that is built in
  requestMs: 2.5, // aims, rest: 1.4 to 2.6
  redisStatusMs: 0.03, // scaling; assumed
  serverMb: 200, // status-messages: 201
  agentKb: 22.4, // idle-rss --agents 5000
  detectorMb: 230, // start: 230
  rowsPerPicture: 3, // mixed-day; assumed
  rowsPerPrint: 30, // mixed-day; assumed
  recordBytesPerPicture: 400, // mixed-day; assumed
  recordBytesPerPrint: 4000, // mixed-day; assumed
  rowsPerPrintedMinute: 1, // INTERVAL_MS of packages/server/src/prints/temperatures.ts, while nothing changes
  recordBytesPerPrintedMinute: 120, // a row of two heaters with its index entry
  videoBytesPerPicture: 4000, // mixed-day; assumed
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
