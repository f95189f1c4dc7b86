import { MAX_MESSAGE_BYTES, MAX_MESSAGE_DEPTH } from '@printwarden/protocol'
import { AGENT_LIMITS, BYTES_PER_MESSAGE } from '../agents/limits.js'
import { MAX_WAITING as MAX_WAITING_LINKS, NEW_RATE, POLL_RATE, WRONG_CODES } from '../agents/linking-limits.js'
import { MAX_FRAME_BYTES } from '../agents/socket.js'
import { VARIABLES } from '../config-schema.js'
import { MAX_PIXELS } from '../detection/service/check-picture-flow.js'
import { MAX_AT_ONCE as MAX_PREDICTIONS } from '../detection/service/predict-routes.js'
import { MAX_AT_ONCE as MAX_SERVICE } from '../detection/service/service-routes.js'
import { HEAD_TIME_MS, PATIENCE_MS } from '../http/connection-limits.js'
import { VALUES_PER_MIB } from '../http/json-body.js'
import { BYTES_PER_REQUEST, VALUES_PER_REQUEST } from '../http/request-cost.js'
import { HELD_MS, MAX_HELD } from '../http/request-limits.js'
import { BODY_TIME_MS, MAX_BODY_BYTES } from '../http/server.js'
import { MAX_AT_ONCE as MAX_IMPORTS, MAX_OF_USER as MAX_IMPORTS_OF_USER } from '../import/bytes-flow.js'
import { REQUESTS as LIVE_REQUESTS } from '../live/connection-socket.js'
import { MAX_TICKETS } from '../live/ticket-flow.js'
import { BROWSER_MESSAGES, JANUS_MESSAGES, MAX_GUESTS } from '../live/upstream/socket.js'
import { MAX_WAITING as MAX_DEVICES } from '../oauth/device-flow.js'
import { MAX_WAITING as MAX_CALLS } from '../printers/passthru-flow.js'
import {
  MAX_AT_ONCE as MAX_VIDEOS,
  MAX_OF_USER as MAX_VIDEOS_OF_USER,
  MAX_UPLOAD_BYTES as MAX_VIDEO_BYTES,
  STALLED_MS as VIDEO_STALLED_MS,
} from '../timelapse/upload-flow.js'
import { CODE_LIMITS, type Limits, PASSWORD_LIMITS, REQUEST_LIMITS } from './attempt-limiter.js'
import { DEFAULT_LIMITS, type LimitName } from './settings.js'
import type { Rate } from './token-bucket.js'
import type { TryLimit } from './tries.js'

// Every limit with its number, straight from the code that holds to it: docs/limits.md is made of this.

/** One row of the documentation. `setting`: what changes it; nothing when nothing does. */
export interface LimitRow {
  readonly who: string
  readonly what: string
  readonly number: string
  readonly answer: string
  readonly setting?: string
}

/** What each limit that can be changed counts, for whom, and what is answered. */
const MEANINGS: Readonly<Record<LimitName, Pick<LimitRow, 'who' | 'what' | 'answer'>>> = {
  user_requests: { who: 'user', what: 'requests; some count for more, see below', answer: '429' },
  user_requests_at_once: { who: 'user, each node', what: 'requests under way', answer: '429' },
  user_uploads_at_once: { who: 'user, each node', what: 'uploads of G-code and videos under way', answer: '429' },
  user_sockets: { who: 'user, each node', what: 'live websockets', answer: '4429' },
  agent_requests: { who: 'printer', what: 'requests of its agent', answer: '429' },
  agent_sockets_opened: { who: 'printer', what: 'websockets that its agent opens', answer: '429' },
  agent_messages: {
    who: 'printer, each node',
    what: `messages; every ${kibibytes(BYTES_PER_MESSAGE)} count as one`,
    answer: '4429',
  },
  upstream_agent_messages: { who: 'printer, each node', what: 'the same, of agents at `/ws/dev/`', answer: '4429' },
  agent_pictures: { who: 'printer', what: 'pictures', answer: '429' },
  agent_picture_bytes: { who: 'printer', what: 'bytes of pictures and of events with theirs', answer: '429' },
  agent_events: { who: 'printer', what: 'printer events by HTTP', answer: '429' },
  agent_uploads_at_once: { who: 'printer, each node', what: 'uploads under way', answer: '429' },
  address_requests: {
    who: 'address',
    what: 'requests without a credential that counts: pages, pictures by signed address, refused ones',
    answer: '429',
  },
  address_media_at_once: {
    who: 'address, each node',
    what: 'pictures and files by signed address under way',
    answer: '429',
  },
  address_probes: {
    who: 'address, each node',
    what: '`/healthz`, `/readyz` and `/metrics`, save from the machine itself',
    answer: '429',
  },
  address_unknown_credentials: { who: 'address', what: 'credentials that nobody has', answer: '429' },
  address_sockets_opened: { who: 'address', what: 'websockets that are opened', answer: '429' },
  address_sockets: { who: 'address, each node', what: 'open websockets', answer: '429' },
  address_connections_opened: { who: 'address, each node', what: 'connections that are opened', answer: 'closed' },
  address_connections: { who: 'address, each node', what: 'open connections', answer: 'closed' },
  address_silent_connections: {
    who: 'address, each node',
    what: 'connections over which no whole request head has come yet',
    answer: `the oldest is closed, once it is ${seconds(PATIENCE_MS)} old`,
  },
}

/** The limits that `PRINTWARDEN_LIMITS` changes. */
export function changeableLimits(): LimitRow[] {
  return Object.entries(DEFAULT_LIMITS).map(([name, value]) => ({
    ...MEANINGS[name as LimitName],
    number: typeof value === 'number' ? String(value) : rateText(value),
    setting: name,
  }))
}

/** Guesses: so many wrong ones are free, then each one makes the next wait longer. */
export function guessLimits(): LimitRow[] {
  return [
    ...attemptRows('wrong passwords', PASSWORD_LIMITS),
    ...attemptRows('wrong codes of an authenticator', CODE_LIMITS),
    ...attemptRows('wrong codes of a device (OAuth)', PASSWORD_LIMITS),
    ...attemptRows('letters that are asked for', REQUEST_LIMITS),
    ...tryRows(),
  ]
}

/** Limits that nothing changes. */
export function fixedLimits(): LimitRow[] {
  const row = (who: string, what: string, number: string, answer: string, setting?: string): LimitRow => ({
    ...{ who, what, number, answer },
    ...(setting === undefined ? {} : { setting }),
  })
  return [
    row('address', 'agents that ask whether they are linked', rateText(POLL_RATE), '429'),
    row('address', 'agents that ask for a new code', rateText(NEW_RATE), '429'),
    row('server', 'agents that wait to be linked', String(MAX_WAITING_LINKS), '503'),
    row('app', 'devices that wait to be signed in', String(MAX_DEVICES), 'temporarily_unavailable'),
    row('live websocket', 'requests', rateText(LIVE_REQUESTS), '4429'),
    row('browser at `/ws/…/web/`', 'messages', rateText(BROWSER_MESSAGES), '4429'),
    row('browser at `/ws/…/janus/`', 'messages to the video gateway', rateText(JANUS_MESSAGES), '4429'),
    row("printer's guests, each node", 'live websockets', String(MAX_GUESTS), '4429'),
    row('node', 'tickets for live websockets', String(MAX_TICKETS), 'the oldest ends'),
    row('agent', 'bytes of a message', mebibytes(MAX_MESSAGE_BYTES), '4413'),
    row('agent', 'bytes of a frame that is read at all', mebibytes(MAX_FRAME_BYTES), '1009'),
    row('agent', 'messages that wait to be applied', String(AGENT_LIMITS.maxWaiting), 'reading pauses'),
    row('agent', 'bytes that it has not read', mebibytes(AGENT_LIMITS.maxUnreadBytes), '4408'),
    row('agent', 'silence', seconds(AGENT_LIMITS.pingIntervalMs), '4408'),
    row('message, body', 'levels of nested JSON', String(MAX_MESSAGE_DEPTH), '400'),
    row('request', 'bytes of a JSON body or a form', mebibytes(MAX_BODY_BYTES), '413'),
    row('request', 'values in a JSON body, for each MiB that it may have', String(VALUES_PER_MIB), '413'),
    row('request', 'time until the head is there', seconds(HEAD_TIME_MS), '408'),
    row('request', 'time until the body is there, large files aside', seconds(BODY_TIME_MS), 'closed'),
    row('picture', 'bytes', defaultBytes('MAX_SNAPSHOT_BYTES'), '413', '`PRINTWARDEN_MAX_SNAPSHOT_BYTES`'),
    row('picture', 'pixels', `${MAX_PIXELS / 1e6} million`, '400'),
    row('G-code file', 'bytes', defaultBytes('MAX_GCODE_BYTES'), '413', '`PRINTWARDEN_MAX_GCODE_BYTES`'),
    row('video that is uploaded', 'bytes', mebibytes(MAX_VIDEO_BYTES), '413'),
    row('video that is uploaded', 'time without a byte', `${VIDEO_STALLED_MS / 1000} s`, 'closed'),
    row('user, each node', 'videos that are uploaded', String(MAX_VIDEOS_OF_USER), '429'),
    row('node', 'videos that are uploaded', String(MAX_VIDEOS), '429'),
    row('administrator, each node', 'files that are imported', String(MAX_IMPORTS_OF_USER), '429'),
    row('node', 'files that are imported', String(MAX_IMPORTS), '429'),
    row('user, each node', 'pictures of prints without an agent under way', String(MAX_PREDICTIONS), '429'),
    row('user, each node', 'pictures for the detection service under way', String(MAX_SERVICE), '429'),
    row('printer', 'calls that wait for its agent', String(MAX_CALLS), '429'),
    row('address', `refused requests that are held for ${HELD_MS} ms`, String(MAX_HELD), 'closed'),
    row('request', 'bytes of a body that count as one more request', kibibytes(BYTES_PER_REQUEST), 'counted'),
    row('request of a user', 'values of a JSON body that count as one more', String(VALUES_PER_REQUEST), 'counted'),
  ]
}

const KINDS = { pair: 'account and address', address: 'address', account: 'account' } as const

function attemptRows(what: string, limits: Limits): LimitRow[] {
  return (['pair', 'address', 'account'] as const).map((kind) => {
    const { free, firstWaitMs, maxWaitMs } = limits[kind]
    const number = `${free}, then ${seconds(firstWaitMs)}, doubling up to ${seconds(maxWaitMs)}`
    return { who: KINDS[kind], what, number, answer: '429' }
  })
}

const TRIERS = {
  user: 'user',
  address: 'address of users',
  anonymous: 'address of agents',
  all: 'everybody together',
} as const satisfies Record<keyof typeof WRONG_CODES, string>

function tryRows(): LimitRow[] {
  return (Object.keys(TRIERS) as (keyof typeof TRIERS)[]).map((kind) => {
    const { tries, perMs }: TryLimit = WRONG_CODES[kind]
    return { who: TRIERS[kind], what: 'wrong linking codes', number: `${tries} in ${seconds(perMs)}`, answer: '429' }
  })
}

const rateText = ({ perSecond, burst }: Rate): string => `${perSecond} a second, ${burst} at once`

function seconds(ms: number): string {
  return ms >= 120_000 ? `${ms / 60_000} min` : `${ms / 1000} s`
}

const defaultBytes = (name: 'MAX_SNAPSHOT_BYTES' | 'MAX_GCODE_BYTES'): string =>
  mebibytes(Number(VARIABLES[name].default))

function kibibytes(bytes: number): string {
  return `${bytes / 1024} KiB`
}

function mebibytes(bytes: number): string {
  return `${bytes / 1024 ** 2} MiB`
}
