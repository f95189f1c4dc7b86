import { Accepted, AgentPrinter, Camera, Pic, PrinterEvent, SelfTest, Watching } from '#protocol'
import { z } from 'zod'
import type { Case } from '../run.js'
import type { Context } from '../context.js'
import { expectBody, expectEqual, expectProblem, expectStatus, expectTrue } from '../expect.js'
import type { Answer } from '../http.js'
import { SMALL_JPEG } from '../pictures.js'
import type { PrinterToken } from '../target.js'

const UPLOAD = '/api/v1/agent/pic/'
const EVENTS = '/api/v1/agent/printer_events/'
const OURS = { group: 'decisions', section: 'decision 15' } as const

function upload(ctx: Context, token: string, bytes: Uint8Array<ArrayBuffer>, fields = {}): Promise<Answer> {
  const body = new FormData()
  body.set('pic', new Blob([bytes], { type: 'image/jpeg' }), 'pic.jpg')
  for (const [name, value] of Object.entries<string>(fields)) body.set(name, value)
  return ctx.anonymous.as(token).send('POST', UPLOAD, { body })
}

async function uploaded(ctx: Context, printer: PrinterToken): Promise<z.infer<typeof Pic>> {
  expectBody(await upload(ctx, printer.auth_token, SMALL_JPEG), Accepted)
  const before = Date.now() / 1000 - 60
  const shown = await ctx.printerWhen(printer, 'pic is new', ({ pic }) => (Pic.safeParse(pic).data?.ts ?? 0) > before)
  return Pic.parse(shown.pic)
}

export const snapshotsCases: readonly Case[] = [
  {
    id: 'snapshots/pic',
    group: 'contract',
    section: 'api.md §4.7',
    title: 'An uploaded snapshot becomes the pic of the printer',
    async run(ctx) {
      const printer = await ctx.idlePrinter()
      const { status } = await upload(ctx, printer.auth_token, SMALL_JPEG)
      expectTrue(status >= 200 && status < 300, `the upload answered ${status}`)
      await ctx.printerWhen(printer, 'pic is set', ({ pic }) => pic !== null)
    },
  },
  {
    id: 'snapshots/url',
    group: 'decisions',
    section: 'decision 7',
    title: 'The address of the pic is absolute, works without a token and gives the picture as it was',
    async run(ctx) {
      const { raw_url } = await uploaded(ctx, await ctx.idlePrinter())
      const response = await fetch(raw_url, { signal: ctx.signal })
      expectEqual(response.status, 200, 'the status')
      expectEqual(response.headers.get('content-type'), 'image/jpeg', 'the content type')
      const bytes = new Uint8Array(await response.arrayBuffer())
      expectTrue(Buffer.from(bytes).equals(SMALL_JPEG), 'the picture differs from the one that was uploaded')
    },
  },
  {
    id: 'snapshots/url-signed',
    group: 'decisions',
    section: 'decision 7',
    title: 'An address that was changed does not give the picture',
    async run(ctx) {
      const { raw_url } = await uploaded(ctx, await ctx.idlePrinter())
      const { pathname } = new URL(raw_url)
      const bare = await ctx.anonymous.get(pathname)
      expectTrue(bare.status >= 400 && bare.status < 500, `without its signature it answered ${bare.status}`)
    },
  },
  {
    id: 'snapshots/not-a-picture',
    group: 'decisions',
    section: 'decision 3',
    title: 'What is no picture is 400 invalid_image and leaves the pic as it was',
    async run(ctx) {
      const printer = await ctx.idlePrinter()
      const { ts } = await uploaded(ctx, printer)
      const junk = new TextEncoder().encode('no picture at all')
      for (const bytes of [junk, SMALL_JPEG.slice(0, 20)]) {
        expectProblem(await upload(ctx, printer.auth_token, bytes), 400, 'invalid_image')
      }
      const { pic } = await ctx.printerWhen(printer, 'the printer is there', () => true)
      expectEqual(Pic.parse(pic).ts, ts, 'the time of the pic')
    },
  },
  {
    ...OURS,
    id: 'snapshots/other-camera',
    title: "Another camera's picture is that camera's, and leaves the pic of the printer as it was",
    async run(ctx) {
      const printer = await ctx.idlePrinter()
      const { ts } = await uploaded(ctx, printer)
      const fields = { is_primary_camera: 'false', camera_name: 'Nozzle' }
      expectBody(await upload(ctx, printer.auth_token, SMALL_JPEG, fields), Accepted)
      const answer = await ctx.owner.get(`/api/v1/printers/${printer.id}/cameras/`)
      const cameras = expectBody(answer, z.array(Camera))
      const nozzle = cameras.find(({ name }) => name === 'Nozzle')
      const { is_primary, detection_enabled } = nozzle ?? {}
      expectEqual({ is_primary, detection_enabled }, { is_primary: false, detection_enabled: false }, 'the camera')
      expectTrue((nozzle?.pic ?? null) !== null, 'the camera has no picture')
      const { pic, watching } = await ctx.printerWhen(printer, 'the printer is there', () => true)
      expectEqual(Pic.parse(pic).ts, ts, 'the time of the pic')
      const known = Watching.parse(watching).cameras.map(({ name }) => name)
      expectTrue(known.includes('Nozzle'), `the cameras of "watching" are ${known.join(', ')}`)
    },
  },
  {
    ...OURS,
    id: 'snapshots/self-test',
    title: 'A self-test tells whether the failure was found, and needs "write"',
    async run(ctx) {
      const printer = await ctx.idlePrinter()
      await uploaded(ctx, printer)
      const path = `/api/v1/printers/${printer.id}/self_test/`
      expectProblem(await ctx.anonymous.as(ctx.target.tokens.read).post(path), 403, 'insufficient_scope')
      const { passed, score, threshold, error } = expectBody(await ctx.owner.post(path), SelfTest)
      expectEqual(passed, score !== null && score >= threshold, 'whether it passed')
      expectEqual(passed, error === null, 'whether nothing is wrong')
    },
  },
  {
    ...OURS,
    id: 'snapshots/authentication',
    title: "A snapshot needs the printer's auth_token; a user's token is 401",
    async run(ctx) {
      expectStatus(await ctx.anonymous.post(UPLOAD), 401)
      expectStatus(await upload(ctx, ctx.target.tokens.read_write, SMALL_JPEG), 401)
    },
  },
  {
    ...OURS,
    id: 'snapshots/file-missing',
    title: 'A form without the picture is 400',
    async run(ctx) {
      const body = new FormData()
      body.set('is_primary_camera', 'true')
      const answer = await ctx.anonymous.as(ctx.target.printer.auth_token).send('POST', UPLOAD, { body })
      expectProblem(answer, 400, 'invalid_request')
    },
  },
  {
    ...OURS,
    id: 'snapshots/printer-event',
    title: "A printer event appears in the printer's history",
    async run(ctx) {
      const { printer, printId } = await ctx.startPrint()
      const body = new FormData()
      const event = { event_type: 'PRINTER_ERROR', event_class: 'ERROR', event_title: 'Hot', event_text: 'Too hot' }
      for (const [name, value] of Object.entries(event)) body.set(name, value)
      expectBody(await ctx.anonymous.as(printer.auth_token).send('POST', EVENTS, { body }), Accepted)
      const answer = await ctx.owner.get(`/api/v1/printer_events/?print_id=${printId}`)
      const [newest] = expectBody(answer, z.array(PrinterEvent))
      const { event_type, event_class, event_title, event_text } = newest ?? {}
      expectEqual({ event_type, event_class, event_title, event_text }, event, 'the newest event')
      expectEqual(newest?.printer, printer.id, 'the printer of the event')
    },
  },
  {
    ...OURS,
    id: 'snapshots/own-printer',
    title: 'An agent can ask which printer it belongs to',
    async run({ anonymous, target }) {
      const { auth_token, id } = target.printer
      const { printer } = expectBody(await anonymous.as(auth_token).get('/api/v1/agent/printer/'), AgentPrinter)
      expectEqual(printer.id, id, 'the id')
    },
  },
]
