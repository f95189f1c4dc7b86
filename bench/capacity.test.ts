import { expect, test } from 'vitest'
import { capacityOf, ceilingsOf, type Costs, type Habits, type Plant, ratesOf } from './capacity.js'

const costs: Costs = {
  ...{ statusMs: 1, shownMs: 0, pictureMs: 10, lookMs: 100, videoMs: 20, requestMs: 5 },
  redisStatusMs: 0.5,
  ...{ serverMb: 0, agentKb: 100, detectorMb: 0 },
  ...{ rowsPerPicture: 2, rowsPerPrint: 0, recordBytesPerPicture: 1000, recordBytesPerPrint: 0 },
  ...{ rowsPerPrintedMinute: 0, recordBytesPerPrintedMinute: 0 },
  ...{ videoBytesPerPicture: 5000, pictureBytes: 0 },
}

const habits: Habits = {
  ...{ printingAtPeak: 0.5, printingHours: 10, printsPerDay: 2 },
  secondsBetweenStatus: { printing: 5, idle: 50 },
  secondsBetweenPictures: { printing: 10, idle: 100 },
  ...{ viewed: 0, requestsPerMinute: 0.6, videoDays: 10, predictionDays: 30 },
}

const plant: Plant = {
  ...{
    coresPerServer: 10,
    gbPerServer: 20,
    fullness: 0.5,
    rowsPerSecond: 500,
    redisCores: 0.5,
    redisBytesPerSecond: 1e6,
  },
  prices: { server: 10, databaseServer: 100, redisServer: 20, databaseGb: 1, objectGb: 0.5 },
}

test('the rates of the busiest hour follow from what printing and idle printers send', () => {
  expect(ratesOf(1000, habits)).toEqual({ statuses: 110, pictures: 55, looks: 50, requests: 10 })
})

test('servers of each role carry their share of the load, and one more may die', () => {
  // 110 ms + 550 ms + 50 ms of CPU a second each thousand printers; 5 cores of a server may be busy.
  const { servers } = capacityOf(100_000, costs, habits, plant)
  expect(servers.web).toBe(Math.ceil((11 + 55 + 5) / 5) + 1)
  expect(servers.detector).toBe(Math.ceil((5000 * 0.1) / 5) + 1)
  // 3,600 pictures of each printer, over the whole day.
  expect(servers.jobs).toBe(Math.ceil((((100_000 * 3600) / 86_400) * 0.02) / 5) + 1)
})

test('memory decides where it is scarcer than cores', () => {
  const light = { ...costs, statusMs: 0, pictureMs: 0, requestMs: 0 }
  // 10 GB of agents, 10 GB of a server may be full.
  expect(capacityOf(100_000, light, habits, plant).servers.web).toBe(1 + 1)
  expect(capacityOf(200_000, light, habits, plant).servers.web).toBe(2 + 1)
})

test('what stays is bounded by its retention', () => {
  const capacity = capacityOf(1000, costs, habits, plant)
  // 3.6 million pictures a day.
  expect(capacity.databaseGbPerDay).toBeCloseTo(3.6)
  expect(capacity.databaseGb).toBeCloseTo(30 * 3.6)
  expect(capacity.blobGbPerDay).toBeCloseTo(18)
  expect(capacity.blobGb).toBeCloseTo(10 * 18)
})

test('temperatures are written while printers print, and stay as long as their print', () => {
  const { rowsPerSecond, databaseGbPerDay, databaseGb } = capacityOf(
    600,
    {
      ...costs,
      rowsPerPicture: 0,
      recordBytesPerPicture: 0,
      rowsPerPrintedMinute: 2,
      recordBytesPerPrintedMinute: 1000,
    },
    habits,
    plant,
  )
  // 300 print at once; all print 600 minutes a day.
  expect(rowsPerSecond).toBeCloseTo(10)
  expect(databaseGbPerDay).toBeCloseTo(0.36)
  expect(databaseGb).toBeCloseTo(5 * 365 * 0.36)
})

test('a database and a Redis are added where one is full', () => {
  const fits = capacityOf(5000, costs, habits, plant)
  expect([fits.rowsPerSecond, fits.databases, fits.redises]).toEqual([500, 1, 1])
  const above = capacityOf(10_000, costs, habits, plant)
  expect([above.databases, above.redises]).toEqual([2, 2])
})

test('the price is what is rented, standbys included', () => {
  const { servers, databases, redises, databaseGb, blobGb, pricePerMonth } = capacityOf(1000, costs, habits, plant)
  const rented = (servers.web + servers.detector + servers.jobs) * 10 + databases * 200 + redises * 20
  expect(pricePerMonth).toBeCloseTo(rented + databaseGb * 2 + blobGb * 0.5)
})

test('what is full first is named first', () => {
  const [first, second] = ceilingsOf({ ...costs, pictureBytes: 100 }, habits, plant)
  expect(first).toEqual({ resource: 'rows written by one PostgreSQL', printers: 5000 })
  expect(second?.resource).toBe('the one core of Redis')
  // 0.11 messages a second of each printer, half a millisecond each.
  expect(second?.printers).toBeCloseTo(0.5 / (0.11 * 0.0005))
})

test('pictures that wait for a detector may need a Redis more than messages do', () => {
  const large = { ...costs, pictureBytes: 100_000 }
  // 50 pictures a second of a thousand printers, 5 MB.
  expect(capacityOf(1000, large, habits, plant).redises).toBe(5)
  expect(ceilingsOf(large, habits, plant)[0]).toEqual({
    resource: 'the network of Redis, by pictures that wait for a detector',
    printers: 200,
  })
})
