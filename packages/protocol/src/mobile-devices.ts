import { z } from 'zod'
import { Timestamp } from './resources.js'

/** A phone or tablet that takes push messages for its user. */
export const MobileDevice = z
  .object({
    id: z.int().positive(),
    user: z.int().positive(),
    platform: z.enum(['android', 'ios']),
    app_version: z.string().min(1).max(64),
    device_token: z.string().min(1).max(1024),
    preferred_timezone: z.string().max(64).nullable(),
    deactivated_at: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'MobileDevice' })
export type MobileDevice = z.infer<typeof MobileDevice>

/** Tokens of push services are ASCII. */
const DEVICE_TOKEN = /^[ -~]*$/

/** What an app says about the device it runs on. */
export const NewMobileDevice = MobileDevice.pick({
  platform: true,
  app_version: true,
  device_token: true,
  preferred_timezone: true,
})
  .partial({ preferred_timezone: true })
  .extend({ device_token: MobileDevice.shape.device_token.regex(DEVICE_TOKEN, 'must be ASCII') })
  .meta({ id: 'NewMobileDevice' })
export type NewMobileDevice = z.infer<typeof NewMobileDevice>
