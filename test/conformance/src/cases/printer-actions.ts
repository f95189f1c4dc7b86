import { ActionResult, type AgentCommand, Command, Printer } from '#protocol'
import type { Case } from '../run.js'
import type { Context } from '../context.js'
import { expectBody, expectEqual, expectHeader, expectProblem, expectStatus, expectTrue } from '../expect.js'
import { ContractActionResult } from '../shapes.js'

const CONTRACT = { group: 'contract', section: 'api.md §4.2' } as const
const OURS = { group: 'decisions', section: 'decision 8' } as const

const ACTIONS = ['cancel_print', 'pause_print', 'resume_print', 'mute_current_print', 'acknowledge_alert'] as const

/** The actions that the agent carries out, and the command that it gets. */
const COMMANDS = [
  { action: 'pause_print', cmd: 'pause' },
  { action: 'resume_print', cmd: 'resume' },
  { action: 'cancel_print', cmd: 'cancel' },
] as const satisfies { action: string; cmd: AgentCommand['cmd'] }[]

const pathOf = ({ id }: { id: number }, action: string): string => `/api/v1/printers/${id}/${action}/`

/** Whether the action succeeded; the printer in the answer must be the one that was asked. */
async function perform({ owner }: Context, printer: { id: number }, action: string): Promise<boolean> {
  const answer = expectBody(await owner.post(pathOf(printer, action)), ContractActionResult)
  expectEqual(answer.printer.id, printer.id, 'the id of the printer in the answer')
  return answer.succeeded
}

const whileIdle = (action: (typeof ACTIONS)[number]): Case => ({
  ...(action === 'acknowledge_alert' || action === 'mute_current_print' ? OURS : CONTRACT),
  id: `printer-actions/idle-${action.replaceAll('_', '-')}`,
  title: `${action} of a printer that prints nothing is 200 with succeeded false`,
  async run(ctx) {
    const { printer, agent } = await ctx.connect()
    const message = ctx.message('Operational')
    agent.send(message)
    await ctx.shown(printer, message)
    expectEqual(await perform(ctx, printer, action), false, 'succeeded')
  },
})

const isSent = ({ action, cmd }: (typeof COMMANDS)[number]): Case => ({
  ...CONTRACT,
  id: `printer-actions/sent-${cmd}`,
  title: `${action} while printing reaches the agent and is 200 with succeeded true`,
  async run(ctx) {
    const { printer, agent } = await ctx.startPrint()
    expectEqual(await perform(ctx, printer, action), true, 'succeeded')
    await agent.takeCommand(cmd)
  },
})

export const printerActionsCases: readonly Case[] = [
  ...ACTIONS.map(whileIdle),
  ...COMMANDS.map(isSent),
  {
    ...CONTRACT,
    id: 'printer-actions/offline',
    title: 'A command for a printing printer whose agent is gone is 200 with succeeded false',
    async run(ctx) {
      const { printer, agent } = await ctx.startPrint()
      await agent.close()
      await ctx.until(
        'the command fails',
        (succeeded) => !succeeded,
        () => perform(ctx, printer, 'pause_print'),
      )
    },
  },
  {
    ...CONTRACT,
    id: 'printer-actions/mute',
    title: 'mute_current_print turns failure detection off for the current print',
    async run(ctx) {
      const { printer, printId } = await ctx.startPrint()
      expectEqual(await perform(ctx, printer, 'mute_current_print'), true, 'succeeded')
      await ctx.printWhen(printId, 'alert_muted_at is set', (print) => print.alert_muted_at !== null)
    },
  },
  {
    ...OURS,
    id: 'printer-actions/unmute',
    title: 'mute_alert=false turns failure detection on again; muting needs no connected agent',
    async run(ctx) {
      const { printer, printId, agent } = await ctx.startPrint()
      await agent.close()
      expectEqual(await perform(ctx, printer, 'mute_current_print'), true, 'succeeded')
      const path = `${pathOf(printer, 'mute_current_print')}?mute_alert=false`
      expectEqual(expectBody(await ctx.owner.post(path), ActionResult).succeeded, true, 'succeeded of unmuting')
      await ctx.printWhen(printId, 'alert_muted_at is null', (print) => print.alert_muted_at === null)
    },
  },
  {
    ...OURS,
    id: 'printer-actions/no-alert',
    title: 'acknowledge_alert without an alert is 200 with succeeded false',
    async run(ctx) {
      const { printer } = await ctx.startPrint()
      expectEqual(await perform(ctx, printer, 'acknowledge_alert'), false, 'succeeded')
    },
  },
  {
    ...OURS,
    id: 'printer-actions/by-get',
    title: 'Actions by GET are 405 and name POST in Allow',
    async run({ owner, target }) {
      for (const action of ACTIONS) {
        const answer = await owner.get(pathOf(target.printer, action))
        expectProblem(answer, 405, 'method_not_allowed')
        expectTrue(
          expectHeader(answer, 'allow')
            .split(/\s*,\s*/)
            .includes('POST'),
          'Allow lacks POST',
        )
      }
    },
  },
  {
    id: 'printer-actions/empty-json-body',
    group: 'decisions',
    section: 'decision 3',
    title: 'An empty body with a JSON content type is accepted where no body is needed',
    async run(ctx) {
      const printer = await ctx.idlePrinter()
      const headers = { 'content-type': 'application/json' }
      for (const body of ['', '{}']) {
        expectStatus(await ctx.owner.send('POST', pathOf(printer, 'pause_print'), { headers, body }), 200)
      }
    },
  },
  {
    ...OURS,
    id: 'printer-actions/foreign',
    title: "An action on another user's printer reaches no agent",
    async run(ctx) {
      const { printer, agent } = await ctx.startPrint()
      const stranger = ctx.anonymous.as(ctx.target.tokens.other)
      expectStatus(await stranger.post(pathOf(printer, 'cancel_print')), 404)
      expectEqual(await perform(ctx, printer, 'pause_print'), true, 'succeeded')
      await agent.takeCommand('pause')
      expectEqual(agent.commands(), [], 'the other commands')
    },
  },
  {
    ...OURS,
    id: 'printer-actions/command-life',
    title: 'A command is sent, acknowledged by the agent, and done when the state shows it',
    async run(ctx) {
      const printing = await ctx.startPrint()
      const { printer, agent } = printing
      const { command_id } = expectBody(await ctx.owner.post(pathOf(printer, 'pause_print')), ActionResult)
      const command = await agent.takeCommand('pause')
      expectEqual(command.id, command_id, "the agent's command id")
      const path = `/api/v1/printers/${printer.id}/commands/${command_id}/`
      const statusIs = (status: string): Promise<Command> =>
        ctx.until(
          `the command is ${status}`,
          (seen) => seen.status === status,
          async () => expectBody(await ctx.owner.get(path), Command),
        )
      await statusIs('sent')
      agent.acknowledge(command.id, { result: null })
      await statusIs('acked')
      await ctx.report(printing, 'Paused', 'PrintPaused')
      await statusIs('done')
    },
  },
  {
    ...OURS,
    id: 'printer-actions/command-failed',
    title: 'A command that the host refused has failed, with the reason',
    async run(ctx) {
      const { printer, agent } = await ctx.startPrint()
      const { command_id } = expectBody(await ctx.owner.post(pathOf(printer, 'cancel_print')), ActionResult)
      const { id } = await agent.takeCommand('cancel')
      agent.acknowledge(id, { error: { code: 'rejected', detail: 'The host said no.' } })
      const failed = await ctx.until(
        'the command has failed',
        ({ status }) => status === 'failed',
        async () => expectBody(await ctx.owner.get(`/api/v1/printers/${printer.id}/commands/${command_id}/`), Command),
      )
      expectTrue(failed.error !== null && failed.error !== '', 'there is no reason')
    },
  },
  {
    ...OURS,
    id: 'printer-actions/pause-arguments',
    title: "The pause command carries the printer's settings for parking",
    async run(ctx) {
      const { printer, agent } = await ctx.startPrint()
      const change = { retract_on_pause: 4.5, lift_z_on_pause: 3.5, tools_off_on_pause: true, bed_off_on_pause: true }
      expectBody(await ctx.owner.patch(`/api/v1/printers/${printer.id}/`, change), Printer)
      await perform(ctx, printer, 'pause_print')
      const { args, initiator, expires_in_ms } = await agent.takeCommand('pause')
      expectEqual(args['retract'], 4.5, 'retract')
      expectEqual(args['lift_z'], 3.5, 'lift_z')
      expectEqual(args['tools_off'], true, 'tools_off')
      expectEqual(args['bed_off'], true, 'bed_off')
      expectEqual(initiator, 'api', 'the initiator')
      expectTrue(expires_in_ms > 0, 'the command has run out already')
    },
  },
]
