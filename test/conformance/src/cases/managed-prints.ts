import { ActionResult } from '#protocol'
import { z } from 'zod'
import type { Context } from '../context.js'
import { expectBody, expectEqual, expectProblem, expectTrue } from '../expect.js'
import { SMALL_JPEG } from '../pictures.js'
import type { Case } from '../run.js'
import type { PrinterToken } from '../target.js'

const OURS = { group: 'decisions', section: 'decision 9' } as const

/** The detector looks at a whole picture, on a machine that may be busy. */
const DETECTION_MS = 60_000

const pathOf = ({ id }: PrinterToken, action: string): string => `/api/v1/printers/${id}/${action}/`

/** Starts a print without an agent, and gives its id. */
async function start(ctx: Context, printer: PrinterToken, filename = 'app.gcode'): Promise<number> {
  const answer = await ctx.owner.post(pathOf(printer, 'start_print'), { filename })
  const result = expectBody(answer, ActionResult)
  expectEqual(result.succeeded, true, 'succeeded')
  expectEqual(result.printer.current_print?.filename, filename, 'the file of the current print')
  return result.printer.current_print?.id ?? 0
}

async function finish(ctx: Context, printer: PrinterToken, body: object = {}): Promise<void> {
  const result = expectBody(await ctx.owner.post(pathOf(printer, 'finish_print'), body), ActionResult)
  expectEqual([result.succeeded, result.printer.current_print], [true, null], 'succeeded and the current print')
}

function pictureForm(): FormData {
  const form = new FormData()
  form.set('img', new Blob([SMALL_JPEG], { type: 'image/jpeg' }), 'a.jpg')
  return form
}

export const managedPrintsCases: readonly Case[] = [
  {
    ...OURS,
    id: 'managed-prints/start-and-finish',
    title: 'An app can start a print and finish it, without an agent',
    async run(ctx) {
      const printer = await ctx.idlePrinter()
      const printId = await start(ctx, printer)
      await finish(ctx, printer)
      const print = await ctx.printWhen(printId, 'finished_at is set', ({ finished_at }) => finished_at !== null)
      expectEqual(print.cancelled_at, null, 'cancelled_at')
    },
  },
  {
    ...OURS,
    id: 'managed-prints/cancelled',
    title: 'finish_print with the status cancelled sets cancelled_at',
    async run(ctx) {
      const printer = await ctx.idlePrinter()
      const printId = await start(ctx, printer)
      await finish(ctx, printer, { status: 'cancelled' })
      const print = await ctx.printWhen(printId, 'cancelled_at is set', ({ cancelled_at }) => cancelled_at !== null)
      expectEqual(print.finished_at, null, 'finished_at')
    },
  },
  {
    ...OURS,
    id: 'managed-prints/start-again',
    title: 'Starting again ends the print before as finished',
    async run(ctx) {
      const printer = await ctx.idlePrinter()
      const first = await start(ctx, printer, 'first.gcode')
      const second = await start(ctx, printer, 'second.gcode')
      expectTrue(second !== first, 'both are the same print')
      await ctx.printWhen(first, 'the first has finished', ({ finished_at }) => finished_at !== null)
      await finish(ctx, printer)
    },
  },
  {
    ...OURS,
    id: 'managed-prints/bad-input',
    title: 'start_print needs a filename, finish_print a status that there is: else 400',
    async run(ctx) {
      const printer = await ctx.idlePrinter()
      for (const body of [{}, { filename: '' }, { filename: 7 }]) {
        expectProblem(await ctx.owner.post(pathOf(printer, 'start_print'), body), 400, 'invalid_request')
      }
      await start(ctx, printer)
      const answer = await ctx.owner.post(pathOf(printer, 'finish_print'), { status: 'exploded' })
      expectProblem(answer, 400, 'invalid_request')
      await finish(ctx, printer)
    },
  },
  {
    ...OURS,
    id: 'managed-prints/idle',
    title: 'finish_print and predict of a printer that prints nothing are 404',
    async run(ctx) {
      const printer = await ctx.idlePrinter()
      expectProblem(await ctx.owner.post(pathOf(printer, 'finish_print'), {}), 404, 'not_found')
      const answer = await ctx.owner.send('POST', pathOf(printer, 'predict'), { body: pictureForm() })
      expectProblem(answer, 404, 'not_found')
    },
  },
  {
    ...OURS,
    id: 'managed-prints/predict',
    title: 'predict looks at one picture of the current print and answers p, the running means and the detections',
    timeoutMs: DETECTION_MS,
    async run(ctx) {
      const printer = await ctx.idlePrinter()
      await start(ctx, printer)
      const answer = await ctx.owner.send('POST', pathOf(printer, 'predict'), { body: pictureForm() })
      const { result } = expectBody(
        answer,
        z.object({
          result: z.looseObject({
            p: z.number(),
            temporal_stats: z.looseObject({ ewm_mean: z.number(), prediction_num: z.int() }),
            detections: z.array(
              z.tuple([z.string(), z.number(), z.tuple([z.number(), z.number(), z.number(), z.number()])]),
            ),
          }),
        }),
      )
      expectTrue(result.p >= 0, `p is ${result.p}`)
      await finish(ctx, printer)
    },
  },
  {
    ...OURS,
    id: 'managed-prints/predict-without-picture',
    title: 'predict without a picture is 400',
    async run(ctx) {
      const printer = await ctx.idlePrinter()
      await start(ctx, printer)
      const form = new FormData()
      form.set('other', 'x')
      const answer = await ctx.owner.send('POST', pathOf(printer, 'predict'), { body: form })
      expectProblem(answer, 400, 'invalid_request')
      await finish(ctx, printer)
    },
  },
]
