import { z } from 'zod'
import type { Context } from '../context.js'
import { expectBody, expectEqual, expectProblem, expectStatus, expectTrue } from '../expect.js'
import type { Case } from '../run.js'

const LIST = '/api/v1/notification_settings/'
const OURS = { group: 'decisions', section: 'decision 9' } as const

const Setting = z.looseObject({
  id: z.int(),
  name: z.string(),
  config: z.looseObject({}),
  enabled: z.boolean(),
  notify_on_failure_alert: z.boolean(),
  notify_on_print_done: z.boolean(),
  notify_on_print_cancelled: z.boolean(),
  notify_on_filament_change: z.boolean(),
  notify_on_heater_status: z.boolean(),
  notify_on_print_start: z.boolean(),
  notify_on_print_pause: z.boolean(),
  notify_on_print_resume: z.boolean(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
type Setting = z.infer<typeof Setting>

const WEBHOOK = { name: 'webhook', config: { custom_webhook_URL: 'https://hook.example/a' } }

async function list({ owner }: Context): Promise<Setting[]> {
  return expectBody(await owner.get(LIST), z.array(Setting))
}

/** A webhook, which the user did not have before. */
async function newWebhook(ctx: Context): Promise<Setting> {
  const left = (await list(ctx)).find(({ name }) => name === WEBHOOK.name)
  if (left !== undefined) await ctx.owner.delete(`${LIST}${left.id}/`)
  return ctx.made(LIST, expectBody(await ctx.owner.post(LIST, WEBHOOK), Setting, 201))
}

export const notificationSettingsCases: readonly Case[] = [
  {
    ...OURS,
    id: 'notification-settings/email',
    title: 'The channel email is there from the beginning',
    async run(ctx) {
      expectTrue(
        (await list(ctx)).some(({ name }) => name === 'email'),
        'the list lacks it',
      )
    },
  },
  {
    ...OURS,
    id: 'notification-settings/create',
    title: 'A new channel is told of failures, ends and filament changes unless stated; a second time it is refused',
    async run(ctx) {
      const setting = await newWebhook(ctx)
      const told = Object.entries(setting).flatMap(([name, value]) =>
        name.startsWith('notify_on_') && value ? name : [],
      )
      const expected = ['notify_on_failure_alert', 'notify_on_filament_change', 'notify_on_print_done']
      expectEqual(told.sort(), expected, 'what it is told')
      expectEqual(setting.config, WEBHOOK.config, 'config')
      const { status } = await ctx.owner.post(LIST, WEBHOOK)
      expectTrue(status === 400 || status === 409, `the second one was answered with ${status}`)
    },
  },
  {
    ...OURS,
    id: 'notification-settings/update',
    title: 'PATCH changes what it names and keeps the rest',
    async run(ctx) {
      const setting = await newWebhook(ctx)
      const change = { name: WEBHOOK.name, enabled: false, notify_on_print_start: true }
      const changed = expectBody(await ctx.owner.patch(`${LIST}${setting.id}/`, change), Setting)
      expectEqual({ ...changed, updated_at: '' }, { ...setting, ...change, updated_at: '' }, 'the setting')
    },
  },
  {
    ...OURS,
    id: 'notification-settings/delete',
    title: 'DELETE is 200 with an empty body, and the setting is gone',
    async run(ctx) {
      const { id } = await newWebhook(ctx)
      const answer = await ctx.owner.delete(`${LIST}${id}/`)
      expectStatus(answer, 200)
      expectEqual(answer.bytes.byteLength, 0, 'the length of the body')
      expectTrue(!(await list(ctx)).some((setting) => setting.id === id), 'the list still holds it')
    },
  },
  {
    ...OURS,
    id: 'notification-settings/bad-config',
    title: 'A config that is not that of its channel, and an unknown channel, are 400',
    async run({ owner }) {
      const wrong = [
        { name: 'discord', config: {} },
        { name: 'discord', config: { webhook_url: 'ftp://x.example' } },
        { name: 'pigeon', config: {} },
        { config: {} },
      ]
      for (const body of wrong) expectProblem(await owner.post(LIST, body), 400, 'invalid_request')
    },
  },
  {
    ...OURS,
    id: 'notification-settings/foreign',
    title: "Another user's setting is 404",
    async run(ctx) {
      const { id } = await newWebhook(ctx)
      const stranger = ctx.anonymous.as(ctx.target.tokens.other)
      expectProblem(await stranger.patch(`${LIST}${id}/`, { name: 'webhook', enabled: false }), 404, 'not_found')
      expectProblem(await stranger.delete(`${LIST}${id}/`), 404, 'not_found')
    },
  },
  {
    ...OURS,
    id: 'notification-settings/plugins',
    title: 'available_plugins names the channels and what each can tell',
    async run({ owner }) {
      const Plugins = z.object({ plugins: z.record(z.string(), z.looseObject({ features: z.array(z.string()) })) })
      const { plugins } = expectBody(await owner.get(`${LIST}available_plugins/`), Plugins)
      for (const name of ['email', 'webhook']) expectTrue(name in plugins, `${name} is missing`)
    },
  },
]
