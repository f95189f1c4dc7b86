import { z } from 'zod'
import { Command, Printer, PrinterEvent } from './resources.js'
import { Timelapse } from './timelapse.js'

/** The subprotocol of the live websocket. */
export const LIVE_SUBPROTOCOL = 'live.v1'

/** The path of the live websocket. */
export const LIVE_SOCKET_PATH = '/ws/live/'

/** What a subscriber sends (decision 26). `since` is the last cursor it saw; sent again after a reconnect. */
export const LiveRequest = z.looseObject({
  subscribe: z.looseObject({ printers: z.union([z.literal('all'), z.array(z.int().positive()).max(10_000)]) }),
  since: z.string().optional(),
})
export type LiveRequest = z.infer<typeof LiveRequest>

/** All subscribed printers as they are now. Comes first, and again when the server cannot tell what was missed. */
export const LiveState = z.looseObject({ state: z.looseObject({ cursor: z.string(), printers: z.array(Printer) }) })

/**
 * Fields of one printer that changed; a field is replaced whole. A printer that is new to the subscriber comes with all of them.
 * The answer to a subscriber who missed nothing since its cursor is a change of no field.
 */
export const LiveChange = z.looseObject({
  printer: z.looseObject({ cursor: z.string(), id: z.int().positive(), changes: Printer.partial() }),
})

/** A printer that is no longer there, or no longer the subscriber's. */
export const LiveRemoval = z.looseObject({
  removed: z.looseObject({ cursor: z.string(), id: z.int().positive() }),
})

/** A step in the life of a command. */
export const LiveCommand = z.looseObject({ command: Command })

/** Something for the printer's history; an alert is one of type FAILURE_ALERTED. */
export const LiveEvent = z.looseObject({ event: PrinterEvent })

/** A print's time-lapse is a step further. */
export const LiveTimelapse = z.looseObject({
  timelapse: z.looseObject({
    printer_id: z.int().positive(),
    print_id: z.int().positive(),
    timelapse: Timelapse.nullable(),
  }),
})

/** A request that could not be understood. The socket stays open. */
export const LiveError = z.looseObject({ error: z.looseObject({ code: z.string(), detail: z.string() }) })

/** Everything the server sends to a subscriber. Each frame has exactly one of the keys. */
export const LiveMessage = z.union([
  LiveState,
  LiveChange,
  LiveRemoval,
  LiveCommand,
  LiveEvent,
  LiveTimelapse,
  LiveError,
])
export type LiveMessage = z.infer<typeof LiveMessage>
