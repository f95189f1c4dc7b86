import { z } from 'zod'
import { Printer, Timestamp } from './resources.js'

/**
 * A code of six digits that links an agent to an account: shown to the user, typed at the agent. `printer` is the printer that is
 * linked anew, or the one that the agent got; null while a new printer waits for its agent.
 */
export const LinkCode = z
  .object({
    id: z.int().positive(),
    printer: Printer.nullable(),
    /** Null for a token without `write`. */
    code: z.string().nullable(),
    expired_at: Timestamp,
    verified_at: Timestamp.nullable(),
  })
  .meta({ id: 'LinkCode' })
export type LinkCode = z.infer<typeof LinkCode>

const MAX_TEXT = 255
const MAX_META = 4096

/** What an agent says about the machine it runs on is only shown: too much of it is cut, what cannot be shown is left out. */
const shown = z
  .string()
  .overwrite((text) => text.replaceAll('\0', '').slice(0, MAX_TEXT))
  .nullish()
  .catch(null)

const isShowable = (json: string): boolean => json.length <= MAX_META && !json.includes(String.raw`\u0000`)

const DEVICE_ID = /^[0-9A-Za-z]{32}$/

const deviceId = z.string().regex(DEVICE_ID, 'must be 32 letters and digits')

const deviceFields = (as: <Schema extends z.ZodType>(schema: Schema) => Schema) => ({
  device_id: deviceId,
  hostname: as(shown),
  host_or_ip: as(shown),
  port: as(
    z
      .union([z.int().min(0).max(65_535), z.string().max(8)])
      .nullish()
      .catch(null),
  ),
  os: as(shown),
  arch: as(shown),
  rpi_model: as(shown),
  plugin_version: as(shown),
  agent: as(shown),
  printerprofile: as(shown),
  machine_type: as(shown),
  octopi_version: as(shown),
  meta: as(
    z
      .record(z.string(), z.unknown())
      .refine((meta) => isShowable(JSON.stringify(meta)))
      .nullish()
      .catch(null),
  ),
})

/** An agent that belongs to nobody yet, in its own words. */
export const UnlinkedAgent = z.object(deviceFields((schema) => schema)).meta({ id: 'UnlinkedAgent' })
export type UnlinkedAgent = z.infer<typeof UnlinkedAgent>

/** The document says that anything goes, since nothing of it is refused. */
const lenient = <Schema extends z.ZodType>(schema: Schema): Schema =>
  schema.meta({ type: undefined, anyOf: undefined, description: 'shown to the user; what cannot be shown is left out' })

/** What such an agent sends: "" as `one_time_passcode` asks for a first one. */
export const UnlinkedAnnouncement = z
  .object({
    ...deviceFields(lenient),
    // A refusal ends the search of some agents for good, so that even what names no device is answered.
    device_id: deviceId.catch(''),
    one_time_passcode: z
      .string()
      .regex(/^[0-9A-Za-z]{0,32}$/)
      .optional()
      .catch(''),
  })
  .meta({ id: 'UnlinkedAnnouncement' })
export type UnlinkedAnnouncement = z.infer<typeof UnlinkedAnnouncement>

/** A code on its way to an agent that was chosen in the user's browser. The agent knows the secret. */
export const LinkMessage = z
  .object({
    device_id: z.string(),
    type: z.literal('verify_code'),
    data: z.object({ code: z.string(), secret: z.string() }),
  })
  .meta({ id: 'LinkMessage' })
export type LinkMessage = z.infer<typeof LinkMessage>

/** What an unlinked agent is told. The last three are there when it sent a `one_time_passcode`. */
export const UnlinkedAnswer = z
  .object({
    messages: z.array(LinkMessage),
    one_time_passcode: z.string().optional(),
    one_time_passlink: z.string().optional(),
    verification_code: z.string().optional(),
  })
  .meta({ id: 'UnlinkedAnswer' })
export type UnlinkedAnswer = z.infer<typeof UnlinkedAnswer>

/** A code for the agent whose `device_id` the browser saw. The secret, if the browser fetched it from the agent itself. */
export const DiscoveryMessage = z
  .object({
    code: z.string().max(32),
    device_id: deviceId,
    device_secret: z.string().min(1).max(256).optional(),
  })
  .meta({ id: 'DiscoveryMessage' })
export type DiscoveryMessage = z.infer<typeof DiscoveryMessage>

/** The passcode that an agent shows, and the code that it is to get. */
export const PasscodeClaim = z
  .object({ one_time_passcode: z.string().max(32), verification_code: z.string().max(32) })
  .meta({ id: 'PasscodeClaim' })
export type PasscodeClaim = z.infer<typeof PasscodeClaim>

/** An agent that wants to be linked. */
export const AgentLinkRequest = z
  .object({ device_name: z.string().trim().min(1).max(256), agent_version: z.string().max(64) })
  .meta({ id: 'AgentLinkRequest' })
export type AgentLinkRequest = z.infer<typeof AgentLinkRequest>

/** The code that the agent shows, and the secret with which it asks what became of it. */
export const AgentLink = z
  .object({ code: z.string(), secret: z.string(), expires_in: z.int() })
  .meta({ id: 'AgentLink' })
export type AgentLink = z.infer<typeof AgentLink>

/** What became of a link: nobody has entered the code yet (202), or the printer with its `auth_token` (200, once). */
export const AgentLinkState = z
  .discriminatedUnion('state', [
    z.object({ state: z.literal('pending'), expires_in: z.int() }),
    z.object({ state: z.literal('linked'), printer_id: z.int().positive(), auth_token: z.string() }),
  ])
  .meta({ id: 'AgentLinkState' })
export type AgentLinkState = z.infer<typeof AgentLinkState>

/** The code that an agent shows, and what it is for: a new printer, by a name, or one that is linked anew. */
export const PrinterLink = z
  .object({
    code: z.string().max(32),
    name: z.string().min(1).max(256).optional(),
    printer_id: z.int().positive().optional(),
  })
  .refine(({ name, printer_id }) => name === undefined || printer_id === undefined, {
    path: ['printer_id'],
    message: 'only one of name and printer_id',
  })
  .meta({ id: 'PrinterLink' })
export type PrinterLink = z.infer<typeof PrinterLink>
