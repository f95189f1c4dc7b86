// How large a fleet must be: from what each unit of work was measured to cost to servers, database writes, storage and money. Pure: costs, habits
// and prices come in, figures go out. The constants are in capacity-figures.ts.

/** What was measured. Milliseconds are of CPU on the machine of the measurements; bytes are of what stays. */
export interface Costs {
  /** Of a server, for one status message, whoever looks. */
  readonly statusMs: number
  /** Of a server, for each dashboard that is shown a status. */
  readonly shownMs: number
  /** Of a server, for taking a picture, without looking at it. */
  readonly pictureMs: number
  /** Of a detector, for looking at a picture. */
  readonly lookMs: number
  /** Of a server with the role of jobs, for each picture of a time-lapse. */
  readonly videoMs: number
  /** Of a server, for one REST request. */
  readonly requestMs: number
  readonly redisStatusMs: number
  /** Of a server without agents, and for each agent that is connected. */
  readonly serverMb: number
  readonly agentKb: number
  readonly detectorMb: number
  readonly rowsPerPicture: number
  readonly rowsPerPrint: number
  readonly recordBytesPerPicture: number
  readonly recordBytesPerPrint: number
  /** Of the temperatures of a print, each minute. */
  readonly rowsPerPrintedMinute: number
  readonly recordBytesPerPrintedMinute: number
  /** Of the video, for each of its pictures. */
  readonly videoBytesPerPicture: number
  /** Of a picture while its print runs. */
  readonly pictureBytes: number
}

/** What printers and people do: assumptions. */
export interface Habits {
  /** Share of printers that print at the busiest hour, and hours a day that a printer prints. */
  readonly printingAtPeak: number
  readonly printingHours: number
  readonly printsPerDay: number
  readonly secondsBetweenStatus: { readonly printing: number; readonly idle: number }
  readonly secondsBetweenPictures: { readonly printing: number; readonly idle: number }
  /** Share of printers that somebody looks at, and REST requests of a printer a minute, both at the busiest hour. */
  readonly viewed: number
  readonly requestsPerMinute: number
  /** How long videos, and rows of predictions, stay. */
  readonly videoDays: number
  readonly predictionDays: number
}

/** What is bought, and how full it may be. */
export interface Plant {
  readonly coresPerServer: number
  readonly gbPerServer: number
  /** Share of the cores that the busiest hour may take. */
  readonly fullness: number
  /** Rows a second that one PostgreSQL is trusted with, and the share of its one core that a Redis is. */
  readonly rowsPerSecond: number
  readonly redisCores: number
  /** What one Redis may take in; pictures wait in it for a detector. */
  readonly redisBytesPerSecond: number
  /** Prices a month, in one currency. */
  readonly prices: {
    readonly server: number
    readonly databaseServer: number
    readonly redisServer: number
    readonly databaseGb: number
    readonly objectGb: number
  }
}

/** What comes in at the busiest hour, each second. */
export interface Rates {
  readonly statuses: number
  readonly pictures: number
  readonly looks: number
  readonly requests: number
}

/** What a fleet needs. */
export interface Capacity {
  readonly printers: number
  readonly rates: Rates
  /** Servers by their role, each with at least one spare. */
  readonly servers: { readonly web: number; readonly detector: number; readonly jobs: number }
  readonly rowsPerSecond: number
  /** PostgreSQL and Redis servers, by printer id where one is not enough. */
  readonly databases: number
  readonly redises: number
  /** A day's growth, and what lies there when as much goes as comes. */
  readonly databaseGbPerDay: number
  readonly databaseGb: number
  readonly blobGbPerDay: number
  readonly blobGb: number
  readonly pricePerMonth: number
}

const MS = 1000
const GB = 1e9
const DAY_S = 86_400
const HOUR_S = 3600
const MINUTE_S = 60
const MB_PER_GB = 1000
const KB_PER_GB = 1e6
/** One more than the load needs, so that one may die or be restarted. */
const SPARE = 1

/** What so many printers send at the busiest hour. */
export function ratesOf(printers: number, habits: Habits): Rates {
  const printing = printers * habits.printingAtPeak
  const idle = printers - printing
  const every = ({ printing: busy, idle: rest }: { printing: number; idle: number }): number =>
    printing / busy + idle / rest
  return {
    statuses: every(habits.secondsBetweenStatus),
    pictures: every(habits.secondsBetweenPictures),
    // Idle printers' pictures are shown and not looked at.
    looks: printing / habits.secondsBetweenPictures.printing,
    requests: (printers * habits.requestsPerMinute) / MINUTE_S,
  }
}

/** Servers, storage and money for so many printers. */
export function capacityOf(printers: number, costs: Costs, habits: Habits, plant: Plant): Capacity {
  const rates = ratesOf(printers, habits)
  const day = dayOf(printers, costs, habits)
  const servers = serversOf(printers, rates, costs, habits, plant)
  const rowsPerSecond =
    rates.looks * costs.rowsPerPicture +
    (printers * habits.printsPerDay * costs.rowsPerPrint) / DAY_S +
    (printers * habits.printingAtPeak * costs.rowsPerPrintedMinute) / MINUTE_S
  const databases = Math.max(1, Math.ceil(rowsPerSecond / plant.rowsPerSecond))
  const redises = Math.max(1, Math.ceil(Math.max(...Object.values(redisSharesOf(rates, costs, plant)))))
  const pictureDays = habits.predictionDays * day.pictureRecordBytes
  // Records of prints stay for ever: five years stand for it.
  const printRecords = 5 * 365 * day.printRecordBytes
  const running = printers * habits.printingAtPeak * picturesPerPrint(habits) * costs.pictureBytes
  const kept = {
    databaseGbPerDay: (day.pictureRecordBytes + day.printRecordBytes) / GB,
    databaseGb: (pictureDays + printRecords) / GB,
    blobGbPerDay: day.videoBytes / GB,
    blobGb: (habits.videoDays * day.videoBytes + running) / GB,
  }
  const { prices } = plant
  const pricePerMonth =
    (servers.web + servers.detector + servers.jobs) * prices.server +
    // Each database has a standby.
    databases * 2 * prices.databaseServer +
    redises * prices.redisServer +
    kept.databaseGb * 2 * prices.databaseGb +
    kept.blobGb * prices.objectGb
  return { printers, rates, servers, rowsPerSecond, databases, redises, ...kept, pricePerMonth }
}

/** How full one Redis would be: of messages, and of pictures that wait for a detector. */
function redisSharesOf(rates: Rates, costs: Costs, plant: Plant) {
  return {
    core: (rates.statuses * costs.redisStatusMs) / MS / plant.redisCores,
    network: (rates.looks * costs.pictureBytes) / plant.redisBytesPerSecond,
  }
}

const picturesPerPrint = ({ printingHours, printsPerDay, secondsBetweenPictures }: Habits): number =>
  (printingHours * HOUR_S) / secondsBetweenPictures.printing / printsPerDay

/** What a day of all printers leaves. */
function dayOf(printers: number, costs: Costs, habits: Habits) {
  const prints = printers * habits.printsPerDay
  const pictures = prints * picturesPerPrint(habits)
  const printedMinutes = (printers * habits.printingHours * HOUR_S) / MINUTE_S
  return {
    pictureRecordBytes: pictures * costs.recordBytesPerPicture,
    printRecordBytes: prints * costs.recordBytesPerPrint + printedMinutes * costs.recordBytesPerPrintedMinute,
    videoBytes: pictures * costs.videoBytesPerPicture,
  }
}

function serversOf(printers: number, rates: Rates, costs: Costs, habits: Habits, plant: Plant): Capacity['servers'] {
  const coresOf = (ms: number): number => ms / MS
  const count = (cores: number, gb: number): number =>
    Math.ceil(Math.max(cores / (plant.coresPerServer * plant.fullness), gb / (plant.gbPerServer * plant.fullness))) +
    SPARE
  const webCores =
    coresOf(rates.statuses * (costs.statusMs + habits.viewed * costs.shownMs)) +
    coresOf(rates.pictures * costs.pictureMs) +
    coresOf(rates.requests * costs.requestMs)
  const webGb = (printers * costs.agentKb) / KB_PER_GB + costs.serverMb / MB_PER_GB
  // Videos are made over the whole day.
  const videosPerSecond = (printers * habits.printsPerDay * picturesPerPrint(habits)) / DAY_S
  return {
    web: count(webCores, webGb),
    detector: count(coresOf(rates.looks * costs.lookMs), costs.detectorMb / MB_PER_GB),
    jobs: count(coresOf(videosPerSecond * costs.videoMs), costs.serverMb / MB_PER_GB),
  }
}

/** A resource that cannot be had twice as it is now, and the number of printers at which it is full. */
export interface Ceiling {
  readonly resource: string
  readonly printers: number
}

/** What breaks first, in order. */
export function ceilingsOf(costs: Costs, habits: Habits, plant: Plant): Ceiling[] {
  const one = capacityOf(1, costs, habits, plant)
  const { core, network } = redisSharesOf(one.rates, costs, plant)
  return [
    { resource: 'the one core of Redis', printers: 1 / core },
    { resource: 'the network of Redis, by pictures that wait for a detector', printers: 1 / network },
    { resource: 'rows written by one PostgreSQL', printers: plant.rowsPerSecond / one.rowsPerSecond },
  ].toSorted((a, b) => a.printers - b.printers)
}
