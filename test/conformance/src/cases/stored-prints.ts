import { createHash } from 'node:crypto'
import { PrintArgs } from '#protocol'
import { z } from 'zod'
import type { Connected, Context } from '../context.js'
import { expectBody, expectEqual, expectProblem, expectTrue } from '../expect.js'
import { G_CODE, unusedName } from '../g-code.js'
import type { Case } from '../run.js'
import { ContractActionResult } from '../shapes.js'

const OURS = { group: 'decisions', section: 'decision 15' } as const

const pathOf = (fileId: number): string => `/api/v1/g_code_files/${fileId}/print/`

/** An agent that has said that its printer is ready. */
async function ready(ctx: Context): Promise<Connected> {
  const connected = await ctx.connect()
  await ctx.applied(connected, ctx.message('Operational'))
  return connected
}

export const storedPrintsCases: readonly Case[] = [
  {
    ...OURS,
    id: 'stored-prints/command',
    title: 'Printing a stored file hands the agent its name, size, hash and an address that gives its bytes',
    async run(ctx) {
      const { printer, agent } = await ready(ctx)
      const filename = unusedName('part.gcode')
      const file = await ctx.newFile(filename)
      const answer = await ctx.owner.post(pathOf(file.id), { printer_id: printer.id })
      const result = expectBody(answer, ContractActionResult)
      expectEqual([result.succeeded, result.printer.id], [true, printer.id], 'succeeded and the printer')
      const command = await agent.takeCommand('print')
      expectEqual(command.id, result['command_id'], "the agent's command id")
      const args = PrintArgs.parse(command.args)
      const sha256 = createHash('sha256').update(G_CODE).digest('hex')
      expectEqual(
        [args.g_code_file_id, args.num_bytes, args.sha256.toLowerCase()],
        [file.id, Buffer.byteLength(G_CODE), sha256],
        'id, size and hash',
      )
      const response = await fetch(args.url, { signal: ctx.signal })
      expectEqual(await response.text(), G_CODE, 'the file at the address')
    },
  },
  {
    ...OURS,
    id: 'stored-prints/file-of-print',
    title: 'A print whose agent names the stored file shows that file',
    async run(ctx) {
      const file = await ctx.newFile()
      const job = { file: { name: 'a.gcode', path: 'a.gcode', display: 'a.gcode', service_g_code_file_id: file.id } }
      const { printId } = await ctx.startPrint({ status: { job } })
      await ctx.printWhen(printId, 'g_code_file is shown', (print) => {
        const shown = z.looseObject({ id: z.int() }).safeParse(print['g_code_file'])
        return shown.success && shown.data.id === file.id
      })
    },
  },
  {
    ...OURS,
    id: 'stored-prints/foreign-file-of-print',
    title: "An agent that names another user's file does not get it shown",
    async run(ctx) {
      const stranger = ctx.anonymous.as(ctx.target.tokens.other)
      const foreign = await stranger.post('/api/v1/g_code_files/', { filename: unusedName('secret.gcode') })
      const { id } = expectBody(foreign, z.looseObject({ id: z.int() }), 201)
      const job = { file: { name: 'a.gcode', path: 'a.gcode', display: 'a.gcode', service_g_code_file_id: id } }
      const printing = await ctx.startPrint({ status: { job } })
      await ctx.applied(printing, ctx.message('Printing', { printTs: printing.printTs, status: { job } }))
      const print = await ctx.printWhen(printing.printId, 'the print is there', () => true)
      expectEqual(print['g_code_file'], null, 'g_code_file')
      await stranger.delete(`/api/v1/g_code_files/${id}/`)
    },
  },
  {
    ...OURS,
    id: 'stored-prints/offline',
    title: 'A printer without an agent is 200 with succeeded false',
    async run(ctx) {
      const printer = await ctx.idlePrinter()
      const file = await ctx.newFile()
      const answer = await ctx.owner.post(pathOf(file.id), { printer_id: printer.id })
      expectEqual(expectBody(answer, ContractActionResult).succeeded, false, 'succeeded')
    },
  },
  {
    ...OURS,
    id: 'stored-prints/busy',
    title: 'A printer that is printing is sent nothing: 200 with succeeded false',
    async run(ctx) {
      const { printer, agent } = await ctx.startPrint()
      const file = await ctx.newFile()
      const answer = await ctx.owner.post(pathOf(file.id), { printer_id: printer.id })
      expectEqual(expectBody(answer, ContractActionResult).succeeded, false, 'succeeded')
      expectEqual(agent.commands(), [], 'the commands')
    },
  },
  {
    ...OURS,
    id: 'stored-prints/foreign',
    title: "Another user's file, and another user's printer, are refused, and no agent hears of it",
    async run(ctx) {
      const { printer, agent } = await ready(ctx)
      const file = await ctx.newFile()
      const stranger = ctx.anonymous.as(ctx.target.tokens.other)
      expectProblem(await stranger.post(pathOf(file.id), { printer_id: printer.id }), 404, 'not_found')
      const other = await ctx.owner.post(pathOf(file.id), { printer_id: ctx.target.other_printer.id })
      expectTrue(other.status === 404 || other.status === 400, `another user's printer was answered ${other.status}`)
      await ctx.applied({ printer, agent }, ctx.message('Operational'))
      expectEqual(agent.commands(), [], 'the commands')
    },
  },
]
