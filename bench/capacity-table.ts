import { type Capacity, capacityOf, ceilingsOf } from './capacity.js'
import { COSTS, HABITS, PLANT } from './capacity-figures.js'
import { table } from './measure.js'

const FLEETS = [10_000, 100_000, 1_000_000]

const whole = (value: number): string => Math.round(value).toLocaleString('en')

const LINES: readonly (readonly [string, (capacity: Capacity) => string])[] = [
  ['status messages a second', ({ rates }) => whole(rates.statuses)],
  ['pictures a second', ({ rates }) => whole(rates.pictures)],
  ['pictures looked at a second', ({ rates }) => whole(rates.looks)],
  ['web servers', ({ servers }) => whole(servers.web)],
  ['detector servers', ({ servers }) => whole(servers.detector)],
  ['job servers', ({ servers }) => whole(servers.jobs)],
  ['rows written a second', ({ rowsPerSecond }) => whole(rowsPerSecond)],
  ['PostgreSQL servers, each with a standby', ({ databases }) => whole(databases)],
  ['Redis servers', ({ redises }) => whole(redises)],
  ['database, GB a day', ({ databaseGbPerDay }) => databaseGbPerDay.toFixed(1)],
  ['database, GB', ({ databaseGb }) => whole(databaseGb)],
  ['blobs, GB a day', ({ blobGbPerDay }) => whole(blobGbPerDay)],
  ['blobs, GB', ({ blobGb }) => whole(blobGb)],
  ['€ a month', ({ pricePerMonth }) => whole(pricePerMonth)],
  ['€ a printer and month', ({ pricePerMonth, printers }) => (pricePerMonth / printers).toFixed(3)],
]

/** The tables of capacity in docs/performance.md: what three fleets need, and what breaks first. */
export function capacityTables(): string {
  const fleets = FLEETS.map((printers) => capacityOf(printers, COSTS, HABITS, PLANT))
  const rows = LINES.map(([label, of]) => [label, ...fleets.map(of)])
  const ceilings = ceilingsOf(COSTS, HABITS, PLANT).map(({ resource, printers }) => [resource, whole(printers)])
  return [
    table(['', ...FLEETS.map((printers) => `${whole(printers)} printers`)], rows),
    table(['full first', 'at so many printers'], ceilings),
  ].join('\n\n')
}
