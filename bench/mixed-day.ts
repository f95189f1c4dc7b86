import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { closeAgents, connectAgents, type LoadAgent } from './load/agents.js'
import { type Bench, type Figure, type LoadOptions, memoryFigure, type OpenBench } from './load/bench.js'
import { type Dashboard, openDashboard } from './load/dashboards.js'
import { cpuDuring } from './load/meter.js'
import { type Kept, keptBy } from './load/records.js'
import { openRestClient, type RestClient } from './load/requests.js'
import type { SeededUser } from './load/seed.js'
import { formOf, uploadOf } from './load/upload.js'
import { openWorld, type World } from './load/world.js'
import { percentile } from './measure.js'
import { webcamPicture } from './pictures.js'
import { statusText } from './status-load.js'

// A household and a farm with everything on, the shipped detector and time-lapses included: prints begin, are looked at, and end, while dashboards
// are open and apps ask. Time runs as it does; a day is made shorter by prints of few pictures, once of some and once of more: the difference is
// what a picture costs, the rest is what a print costs, and a day is so many of each.

const HOUSEHOLD = { name: 'household', printers: 3 }
const FARM = { name: 'farm', printers: 12 }
const FEW = 5
const MORE = 25
/** Between the pictures of one printer. */
const PICTURE_MS = 1000
const SIZE = { width: 640, height: 480 }
const SETTLE_MS = 300_000

/** A printer's day: prints, and a picture every ten seconds of twelve hours of printing. */
export const DAY = { prints: 3, pictures: (12 * 3600) / 10 } as const

export const mixedDayBench: Bench = {
  name: 'mixed-day',
  about: 'a household and a farm with detector, time-lapses, dashboards and apps: CPU, and what a day keeps',
  open: openMixedDay,
}

async function openMixedDay(options: LoadOptions): Promise<OpenBench> {
  const world = await openWorld({
    ...options,
    ...{ nodes: 1, roles: 'web,detector,jobs' },
    populations: [HOUSEHOLD, FARM].map(({ printers }) => {
      return { users: 1, printersPerUser: printers, printer: { min_timelapse_secs_on_finish: 0 } }
    }),
  })
  const people = await Promise.all(world.people.flat().map((user, index) => peopleOf(world, user, index)))
  const pictures = await Promise.all(
    Array.from({ length: 5 }, (_, index) => webcamPicture(SIZE.width, SIZE.height, index)),
  )
  let prints = Math.floor(Date.now() / 1000)
  return {
    async run() {
      const few = await shift(world, people, pictures, FEW, () => (prints += 1))
      const more = await shift(world, people, pictures, MORE, () => (prints += 1))
      return [...figuresOf(few, more, options), memoryFigure('day', 'RSS of the server afterwards, MB', world)]
    },
    async close() {
      for (const { dashboard, app, agents } of people) {
        app.close()
        for (const { uploads } of agents) uploads.close()
        await Promise.all([dashboard.close(), closeAgents(agents.map(({ agent }) => agent))])
      }
      await world.close()
    },
  }
}

interface Printer {
  readonly agent: LoadAgent
  readonly uploads: RestClient
}

interface People {
  readonly agents: readonly Printer[]
  readonly dashboard: Dashboard
  readonly app: RestClient
}

const USER_ADDRESSES = 1000

async function peopleOf(world: World, { token, printers }: SeededUser, index: number): Promise<People> {
  const url = world.urls[0] ?? ''
  const from = index * USER_ADDRESSES
  const agents = await connectAgents(
    url,
    printers.map(({ authToken }) => authToken),
    from,
  )
  return {
    agents: agents.map((agent, at) => {
      return { agent, uploads: openRestClient(url, `Bearer ${printers[at]?.authToken}`, from + at) }
    }),
    dashboard: await openDashboard(url, token, 'all', index),
    app: openRestClient(url, `Bearer ${token}`, from + USER_ADDRESSES - 1),
  }
}

/** What one print of each printer cost and left. */
interface Shift {
  readonly prints: number
  /** Of each print. */
  readonly pictures: number
  readonly cpuMs: number
  /** Until the last print was done. */
  readonly seconds: number
  readonly kept: Kept
  /** Milliseconds of the apps' requests. */
  readonly requests: readonly number[]
  readonly ages: readonly number[]
}

async function shift(
  world: World,
  people: readonly People[],
  pictures: readonly Buffer[],
  count: number,
  nextPrint: () => number,
): Promise<Shift> {
  const printers = people.flatMap(({ agents }) => agents)
  for (const { dashboard } of people) dashboard.forget()
  const before = keptBy(world)
  const requests: number[] = []
  let seconds = 0
  const [cpuMs = 0] = await cpuDuring([world.pids], async () => {
    const started = performance.now()
    const ended = new AbortController()
    const working = Promise.all(
      printers.map((printer, at) => printOnce(printer, nextPrint(), pictures, count, at)),
    ).finally(() => ended.abort())
    const asking = people.map(({ app }) => askUntil(app, ended.signal, requests))
    await Promise.all([working, ...asking])
    seconds = (performance.now() - started) / 1000
    await untilVideosAreMade(people)
  })
  const after = keptBy(world)
  return {
    ...{ prints: printers.length, pictures: count, cpuMs, seconds, requests },
    kept: {
      recordBytes: after.recordBytes - before.recordBytes,
      rowsWritten: after.rowsWritten - before.rowsWritten,
      blobBytes: after.blobBytes - before.blobBytes,
    },
    ages: people.flatMap(({ dashboard }) => dashboard.ages),
  }
}

/** One print of one printer: a status and a picture every second, and its end. */
async function printOnce(
  { agent, uploads }: Printer,
  print: number,
  pictures: readonly Buffer[],
  count: number,
  seed: number,
): Promise<void> {
  const say = (sequence: number, event?: string): void => {
    const told = event === undefined ? undefined : { event_type: event, id: randomUUID() }
    agent.send(statusText(sequence, told).replace(/"current_print_ts":\d+/, `"current_print_ts":${print}`))
  }
  say(1, 'PrintStarted')
  await agent.applied()
  for (let index = 0; index < count; index += 1) {
    const picture = pictures[(seed + index) % pictures.length]
    if (picture === undefined) throw new Error('there is no picture')
    await Promise.all([upload(uploads, picture), delay(PICTURE_MS)])
    say(index + 2)
  }
  say(count + 2, 'PrintDone')
  await agent.applied()
}

async function upload(client: RestClient, picture: Buffer): Promise<void> {
  await client.send(uploadOf('/api/v1/agent/pic/', formOf(picture)))
}

/** An app that looks at its printers and prints every second. */
async function askUntil(app: RestClient, ended: AbortSignal, times: number[]): Promise<void> {
  while (!ended.aborted) {
    for (const path of ['/api/v1/printers/', '/api/v1/prints/?sorting=date_desc&limit=24']) {
      const asked = performance.now()
      await app.send({ method: 'GET', path })
      times.push(performance.now() - asked)
    }
    await delay(1000)
  }
}

async function untilVideosAreMade(people: readonly People[]): Promise<void> {
  const until = Date.now() + SETTLE_MS
  for (const { app } of people) {
    for (;;) {
      const prints = JSON.parse(
        await app.send({ method: 'GET', path: '/api/v1/prints/?sorting=date_desc&limit=24' }),
      ) as { timelapse?: { state: string } | null }[]
      if (prints.every(({ timelapse }) => timelapse?.state === 'done')) break
      if (Date.now() > until) throw new Error('the time-lapses were not made in time')
      await delay(500)
    }
  }
}

/** What a picture costs by the difference of the shifts, what a print costs beside its pictures, and a day of one printer made of them. */
function figuresOf(few: Shift, more: Shift, { engine }: LoadOptions): Figure[] {
  const perPrint = (one: Shift, of: (all: Shift) => number): number => of(one) / one.prints
  const split = (of: (one: Shift) => number) => {
    const picture = (perPrint(more, of) - perPrint(few, of)) / (more.pictures - few.pictures)
    const print = perPrint(few, of) - picture * few.pictures
    return { picture, print, day: DAY.pictures * picture + DAY.prints * print }
  }
  const records = split(({ kept }) => kept.recordBytes)
  const blobs = split(({ kept }) => kept.blobBytes)
  const rows = split(({ kept }) => kept.rowsWritten)
  const cpu = split(({ cpuMs }) => cpuMs)
  const MB = 1e6
  const requests = [...few.requests, ...more.requests]
  const ages = [...few.ages, ...more.ages]
  const taken = few.prints * few.pictures + more.prints * more.pictures
  const seconds = few.seconds + more.seconds
  return [
    { key: 'day.cpu.picture', label: 'CPU of the server, ms a picture with all around it', ours: cpu.picture },
    { key: 'day.cpu.print', label: 'CPU of the server, ms a print beside its pictures', ours: cpu.print, digits: 0 },
    { key: 'day.records.picture', label: 'database bytes a picture', ours: records.picture, digits: 0 },
    { key: 'day.records.print', label: 'database bytes a print beside its pictures', ours: records.print, digits: 0 },
    { key: 'day.records', label: "database MB a printer's day", ours: records.day / MB, digits: 2 },
    { key: 'day.blobs.picture', label: 'blob bytes a picture, once its video is made', ours: blobs.picture, digits: 0 },
    { key: 'day.blobs', label: "blob MB a printer's day", ours: blobs.day / MB },
    ...(engine === 'embedded'
      ? []
      : [
          { key: 'day.rows.picture', label: 'rows written a picture', ours: rows.picture, digits: 2 },
          { key: 'day.rows.print', label: 'rows written a print beside its pictures', ours: rows.print, digits: 1 },
        ]),
    { key: 'day.requests.p50', label: "apps' requests, p50 ms", ours: percentile(requests, 0.5) },
    { key: 'day.requests.p99', label: "apps' requests, p99 ms", ours: percentile(requests, 0.99) },
    { key: 'day.ages.p50', label: 'sent to seen, p50 ms', ours: percentile(ages, 0.5) },
    { key: 'day.ages.p99', label: 'sent to seen, p99 ms', ours: percentile(ages, 0.99) },
    { key: 'day.rate', label: 'pictures taken a second', ours: taken / seconds },
  ]
}
