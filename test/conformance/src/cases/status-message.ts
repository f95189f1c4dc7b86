import { flagsOf, MAX_MESSAGE_BYTES, StatusMessage } from '#protocol'
import type { Case } from '../run.js'
import type { Context } from '../context.js'
import { expectEqual } from '../expect.js'
import { type Expected, type Fixture, readInvalidFixtures, readValidFixtures } from '../fixtures.js'

/** The same message with another `_ts`; undefined when it would be too large then. */
function restamped({ text }: Fixture, ts: number): StatusMessage | undefined {
  const message = StatusMessage.parse(JSON.parse(text))
  const stamped = { ...message, status: { ...message.status, _ts: ts } }
  return Buffer.byteLength(JSON.stringify(stamped)) > MAX_MESSAGE_BYTES ? undefined : stamped
}

/** Sends a message that must be applied, and waits until it is: what was sent before has been dealt with then. */
async function expectAlive(ctx: Context, connected: Awaited<ReturnType<Context['connect']>>): Promise<void> {
  const message = ctx.message('Operational')
  connected.agent.send(message)
  await ctx.shown(connected.printer, message)
}

const isAccepted = (fixture: Fixture): Case => ({
  id: `status-message/valid-${fixture.name}`,
  group: 'contract',
  section: 'api.md §6',
  title: `Accepted: ${fixture.note}`,
  async run(ctx) {
    const connected = await ctx.connect()
    connected.agent.sendText(fixture.text)
    // Most fixtures are from another time, so their status may come too late to be shown. Sent as of now it must be, as it is.
    const message = restamped(fixture, ctx.now())
    if (message !== undefined) {
      connected.agent.send(message)
      const { status } = await ctx.shown(connected.printer, message)
      expectEqual(status, JSON.parse(JSON.stringify(message.status)), 'the status')
    }
    await expectAlive(ctx, connected)
    expectEqual(connected.agent.errors(), [], 'the errors')
  },
})

const isRefused = (fixture: Fixture & { expected: Expected }): Case => ({
  id: `status-message/invalid-${fixture.name}`,
  group: 'decisions',
  section: 'error' in fixture.expected ? 'decision 17' : 'decision 16',
  title: `Refused: ${fixture.note}`,
  async run(ctx) {
    const connected = await ctx.connect()
    const before = ctx.message('Operational', { status: { currentZ: 1.5 } })
    connected.agent.send(before)
    await ctx.shown(connected.printer, before)
    connected.agent.sendText(fixture.text)
    const { expected } = fixture
    if ('close' in expected) {
      expectEqual(await connected.agent.takeClose(), expected.close, 'the close code')
      return
    }
    const error = await connected.agent.takeError()
    if (expected.error.path !== undefined) expectEqual(error.path, expected.error.path, 'the path of the error')
    const printer = await ctx.printerWhen(connected.printer, 'the printer is there', () => true)
    expectEqual(printer.status, JSON.parse(JSON.stringify(before.status)), 'the status after the refused message')
    expectEqual(printer.current_print, null, 'the print after the refused message')
    await expectAlive(ctx, connected)
  },
})

const OWN: readonly Case[] = [
  {
    id: 'status-message/unknown-fields',
    group: 'decisions',
    section: 'decision 17',
    title: 'Unknown fields pass through, at every level of the status',
    async run(ctx) {
      const { printer, agent } = await ctx.connect()
      const message = ctx.message('Operational', {
        status: {
          state: { text: 'Operational', flags: { ...flagsOf('Operational'), dancing: true }, mood: 'calm' },
          ours: { deep: [1, 'two', null, { three: true }] },
        },
      })
      agent.send(message)
      expectEqual((await ctx.shown(printer, message)).status, message.status, 'the status')
    },
  },
  {
    id: 'status-message/error-then-valid',
    group: 'decisions',
    section: 'decision 17',
    title: 'After an invalid message the same socket takes valid ones',
    async run(ctx) {
      const connected = await ctx.connect()
      for (let count = 0; count < 5; count += 1) {
        connected.agent.sendText('{"current_print_ts":"soon"}')
        expectEqual((await connected.agent.takeError()).path, 'current_print_ts', 'the path of the error')
        await expectAlive(ctx, connected)
      }
    },
  },
]

/** Every file of `test/fixtures/messages`, sent over a socket of its own. */
export async function statusMessageCases(): Promise<readonly Case[]> {
  const [valid, invalid] = await Promise.all([readValidFixtures(), readInvalidFixtures()])
  return [...valid.map(isAccepted), ...invalid.map(isRefused), ...OWN]
}
