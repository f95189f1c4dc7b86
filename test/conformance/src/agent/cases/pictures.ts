import { expectEqual, expectTrue } from '../../expect.js'
import type { AgentCase, AgentContext } from '../context.js'
import type { Upload } from '../scripted-server.js'

const UPLOADING = { group: 'contract', section: 'api.md §4.7' } as const
const FIELDS = { group: 'decisions', section: 'decision 15' } as const

/** The upload that follows a snapshot command. */
async function snapshot(ctx: AgentContext): Promise<Upload> {
  const connection = await ctx.connected()
  const before = ctx.server.uploads.length
  await ctx.order(connection, 'snapshot')
  return ctx.until(
    'an uploaded picture',
    () => ctx.server.uploads[before],
    () => ctx.server.uploads.length,
  )
}

/** A field that must not be a file. */
function textOf(form: FormData, name: string): string | undefined {
  const value = form.get(name) ?? undefined
  expectTrue(value === undefined || typeof value === 'string', `${name} is a file`)
  return value
}

export const agentPictureCases: readonly AgentCase[] = [
  {
    ...UPLOADING,
    id: 'agent-pictures/snapshot',
    title: 'After a snapshot command a picture arrives as multipart at /api/v1/agent/pic/',
    async run(ctx) {
      const { headers, form } = await snapshot(ctx)
      expectTrue((headers['content-type'] ?? '').startsWith('multipart/form-data'), `it is ${headers['content-type']}`)
      const pic = form.get('pic')
      expectTrue(pic instanceof File, 'there is no file "pic"')
      const start = new Uint8Array(await pic.arrayBuffer()).subarray(0, 3)
      expectEqual([...start], [0xff, 0xd8, 0xff], 'the first bytes, which are those of a JPEG')
      expectTrue(pic.name !== '', 'the file has no name')
    },
  },
  {
    ...FIELDS,
    id: 'agent-pictures/authorization',
    title: 'Pictures are uploaded with the auth_token',
    async run(ctx) {
      const { headers } = await snapshot(ctx)
      expectTrue(/^(bearer|token) /i.test(headers.authorization ?? ''), 'there is no Authorization')
      expectEqual(headers.authorization?.split(' ')[1], ctx.authToken, 'the token')
    },
  },
  {
    ...FIELDS,
    id: 'agent-pictures/fields',
    title: 'Fields beside the picture are texts: true or false, the name of the camera, an age',
    async run(ctx) {
      const { form } = await snapshot(ctx)
      for (const name of ['is_primary_camera', 'is_nozzle_camera', 'viewing_boost']) {
        const value = textOf(form, name) ?? 'false'
        expectTrue(/^(true|false)$/i.test(value), `${name} is "${value}"`)
      }
      textOf(form, 'camera_name')
      const age = textOf(form, 'age_ms') ?? '0'
      expectTrue(Number(age) >= 0, `age_ms is "${age}"`)
    },
  },
  {
    id: 'agent-pictures/viewing',
    group: 'decisions',
    section: 'decision 16',
    title: 'Somebody who begins to look on gets a picture without asking for one',
    async run(ctx) {
      const connection = await ctx.idle()
      // Twice, so that a picture of the agent's own accord that was under way has arrived.
      for (let count = 0; count < 2; count += 1) await snapshot(ctx)
      const before = ctx.server.uploads.length
      connection.send({ remote_status: { viewing: true } })
      await ctx.until(
        'a picture',
        () => ctx.server.uploads[before],
        () => ctx.server.uploads.length,
      )
      connection.send({ remote_status: { viewing: false } })
    },
  },
  {
    id: 'agent-pictures/interval',
    group: 'decisions',
    section: 'decision 16',
    title: 'An agent that is told how often pictures are wanted goes on, whatever it makes of the wish',
    async run(ctx) {
      const connection = await ctx.idle()
      for (const interval_ms of [2000, 1, null]) connection.send({ remote_status: { interval_ms } })
      await snapshot(ctx)
    },
  },
]
