import { z } from 'zod'
import { defineEndpoint } from '../endpoint.js'
import {
  AgentLink,
  AgentLinkRequest,
  AgentLinkState,
  DiscoveryMessage,
  LinkCode,
  PasscodeClaim,
  PrinterLink,
  UnlinkedAgent,
  UnlinkedAnnouncement,
  UnlinkedAnswer,
} from '../linking.js'
import { Printer } from '../resources.js'
import { id, idParams } from './shared.js'

const tag = 'linking'

export const requestLinkCode = defineEndpoint({
  id: 'requestLinkCode',
  method: 'GET',
  path: '/api/v1/onetimeverificationcodes/',
  tag,
  summary: 'A code for linking an agent',
  description:
    "One object: the code that is good now, made if there is none. With `printer_id` the agent becomes that printer's, and the one before it is cut off; else it gets a new printer. A code is good for two hours and once. A token without `write` sees null in its place, since whoever has the code gets an `auth_token`.",
  access: 'read',
  query: z.object({ printer_id: id.optional() }),
  output: LinkCode,
  errors: ['not_found', 'unavailable'],
})

export const getLinkCode = defineEndpoint({
  id: 'getLinkCode',
  method: 'GET',
  path: '/api/v1/onetimeverificationcodes/:id/',
  tag,
  summary: 'What became of a code',
  description: 'Used and expired codes can be read for a day. `verified_at` and `printer` tell that an agent used it.',
  access: 'read',
  params: idParams,
  output: LinkCode,
})

const verification = {
  path: '/api/v1/agent/verify/',
  tag,
  access: 'anyone',
  query: z.object({ code: z.string().min(1).max(32) }),
  output: LinkCode,
  errors: ['not_found', 'rate_limited'],
} as const

export const verifyLinkCode = defineEndpoint({
  ...verification,
  id: 'verifyLinkCode',
  method: 'POST',
  summary: 'Use a code that was typed at the agent',
  description: '`printer.auth_token` is the credential. Wrong codes are limited per address.',
})

export const verifyLinkCodeByGet = defineEndpoint({
  ...verification,
  id: 'verifyLinkCodeByGet',
  method: 'GET',
  summary: 'Use a code that was typed at the agent, for agents that ask by GET',
})

export const announceUnlinkedAgent = defineEndpoint({
  id: 'announceUnlinkedAgent',
  method: 'POST',
  path: '/api/v1/agent/unlinked/',
  tag,
  summary: 'An agent that belongs to nobody says that it is there',
  description:
    'Every few seconds, with what is known about the machine. The answer holds the code that a user sent it, if any, and, when asked for, a passcode for the agent to show. What cannot be understood of the machine is left out; too many at once are told 503, since some agents give up on 429.',
  access: 'anyone',
  body: UnlinkedAnnouncement,
  output: UnlinkedAnswer,
  errors: ['unavailable'],
})

export const listUnlinkedAgents = defineEndpoint({
  id: 'listUnlinkedAgents',
  method: 'GET',
  path: '/api/v1/printer_discovery/',
  tag,
  summary: "Unlinked agents in the browser's own private network",
  description:
    'Those that came within the last seconds from a private address of the same network as the browser, in IPv4 the same first three numbers. Over the internet, and from this machine itself, nothing is listed.',
  access: 'session',
  output: z.array(UnlinkedAgent),
})

export const sendLinkCode = defineEndpoint({
  id: 'sendLinkCode',
  method: 'POST',
  path: '/api/v1/printer_discovery/',
  tag,
  summary: 'Send a code to one of these agents',
  description:
    'It must be among those that the list holds. Without `device_secret` the server asks the agent for it, at the address from which it came; 409 when nothing answers there. The code waits for a minute.',
  access: 'session',
  body: DiscoveryMessage,
  output: z.object({ queued: z.literal(true) }).meta({ id: 'DiscoveryQueued' }),
  errors: ['not_found', 'conflict', 'rate_limited'],
})

export const claimPasscode = defineEndpoint({
  id: 'claimPasscode',
  method: 'POST',
  path: '/api/v1/one_time_passcodes/',
  tag,
  summary: 'Give a code to the agent that shows this passcode',
  description: 'Five wrong tries a minute.',
  access: 'session',
  body: PasscodeClaim,
  output: z.object({ detail: z.literal('OK') }).meta({ id: 'PasscodeClaimed' }),
  errors: ['not_found', 'rate_limited'],
})

export const startAgentLink = defineEndpoint({
  id: 'startAgentLink',
  method: 'POST',
  path: '/api/v1/agent/link/',
  tag,
  summary: 'An agent asks for a code to show',
  access: 'anyone',
  body: AgentLinkRequest,
  status: 201,
  output: AgentLink,
  errors: ['rate_limited', 'unavailable'],
})

export const pollAgentLink = defineEndpoint({
  id: 'pollAgentLink',
  method: 'POST',
  path: '/api/v1/agent/link/poll/',
  tag,
  summary: 'What became of the code that the agent shows',
  description:
    '202 while nobody has entered it; then 200 with the `auth_token`, once; 410 `expired` for a code that is too old, and for a secret that is used up or unknown.',
  access: 'anyone',
  body: z.object({ secret: z.string().min(1).max(256) }).meta({ id: 'AgentLinkPoll' }),
  otherStatus: 202,
  output: AgentLinkState,
  errors: ['expired', 'rate_limited'],
})

export const linkPrinter = defineEndpoint({
  id: 'linkPrinter',
  method: 'POST',
  path: '/api/v1/printers/link/',
  tag,
  summary: 'Link the agent that shows this code',
  description:
    'To a new printer, named after the device unless `name` is given, or to the printer `printer_id`, whose agent before it is cut off while its history stays. Five wrong tries a minute.',
  access: 'write',
  body: PrinterLink,
  output: Printer,
  errors: ['not_found', 'rate_limited'],
})
