import { z } from 'zod'
import { defineEndpoint } from '../endpoint.js'
import {
  NewNotificationSetting,
  NotificationPlugins,
  NotificationSetting,
  NotificationSettingChanges,
} from '../notifications.js'
import { idParams } from './shared.js'

const tag = 'notifications'
const path = '/api/v1/notification_settings/'
const onePath = '/api/v1/notification_settings/:id/'

const CONFIGS =
  'What `config` holds depends on the channel: nothing for `email`; `webhook_url` for `discord`; `access_token` for `pushbullet` and `slack`; `user_key` for `pushover`; `chat_id` for `telegram`; `phone_country_code` and `phone_number` for `twilio`; `custom_webhook_URL` for `webhook`; `apprise_url` for `apprise`. Addresses are http(s).'

export const listNotificationSettings = defineEndpoint({
  id: 'listNotificationSettings',
  method: 'GET',
  path,
  tag,
  summary: 'How the user is notified',
  description: 'One setting per channel; `email` is always among them.',
  access: 'read',
  output: z.array(NotificationSetting),
})

export const createNotificationSetting = defineEndpoint({
  id: 'createNotificationSetting',
  method: 'POST',
  path,
  tag,
  summary: 'Be notified by one more channel',
  description: `${CONFIGS} A channel that the user has already is 409.`,
  access: 'write',
  body: NewNotificationSetting,
  status: 201,
  output: NotificationSetting,
  errors: ['conflict'],
})

export const getNotificationSetting = defineEndpoint({
  id: 'getNotificationSetting',
  method: 'GET',
  path: onePath,
  tag,
  summary: 'One setting',
  access: 'read',
  params: idParams,
  output: NotificationSetting,
})

export const updateNotificationSetting = defineEndpoint({
  id: 'updateNotificationSetting',
  method: 'PATCH',
  path: onePath,
  tag,
  summary: 'Change a setting',
  description: `What is not sent stays as it is; a \`config\` replaces the one before it. ${CONFIGS}`,
  access: 'write',
  params: idParams,
  body: NotificationSettingChanges,
  output: NotificationSetting,
})

export const replaceNotificationSetting = defineEndpoint({
  id: 'replaceNotificationSetting',
  method: 'PUT',
  path: onePath,
  tag,
  summary: 'Replace a setting',
  description: `What is not sent is as in a new setting. ${CONFIGS}`,
  access: 'write',
  params: idParams,
  body: NewNotificationSetting,
  output: NotificationSetting,
})

export const deleteNotificationSetting = defineEndpoint({
  id: 'deleteNotificationSetting',
  method: 'DELETE',
  path: onePath,
  tag,
  summary: 'Be no longer notified by a channel',
  description: '`email` stays, 409: it can be switched off by `enabled`.',
  access: 'write',
  params: idParams,
  errors: ['conflict'],
})

export const listNotificationPlugins = defineEndpoint({
  id: 'listNotificationPlugins',
  method: 'GET',
  path: '/api/v1/notification_settings/available_plugins/',
  tag,
  summary: 'The channels, and what each can tell',
  access: 'read',
  output: NotificationPlugins,
})

export const sendTestNotification = defineEndpoint({
  id: 'sendTestNotification',
  method: 'POST',
  path: '/api/v1/notification_settings/:id/send_test_message/',
  tag,
  summary: 'Send a message to try a channel',
  description: '503 where sending is not set up on the server.',
  access: 'write',
  params: idParams,
  output: z.object({ status: z.literal('sent') }).meta({ id: 'TestNotificationSent' }),
  errors: ['unavailable'],
})
