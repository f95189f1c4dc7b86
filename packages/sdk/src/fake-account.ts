import { pageOf } from './fake-api.js'
import { callerOf, given, type Handlers, visible } from './fake-handlers.js'
import { FakeRefusal } from './fake-refusal.js'
import { type FakeState, hex } from './fake-state.js'

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  ALERT: ['FAILURE_ALERTED', 'ALERT_MUTED', 'ALERT_UNMUTED'],
  PAUSE_RESUME: ['PAUSED', 'RESUMED'],
}

/** The user, the version, the live ticket, events and sharing. */
export function accountHandlers(state: FakeState): Handlers {
  /** A printer that is named in the query. */
  const named = (call: Parameters<typeof callerOf>[0], id: number | undefined) =>
    visible(call, id === undefined ? undefined : state.printers.get(id))

  return {
    getVersion: () => ({ version: '0.0.0' }),
    getMe: (call) => callerOf(call),

    updateMe(call) {
      const user = { ...callerOf(call), ...given(call.body) }
      state.users.set(user.id, user)
      return user
    },

    createLiveTicket(call) {
      const ticket = hex(40)
      state.tickets.set(ticket, { userId: callerOf(call).id, scopes: call.scopes, state: 'good' })
      return { ticket, expires_at: new Date(Date.parse(state.now()) + 30_000).toISOString() }
    },

    listPrinterEvents(call) {
      const { printer_id, print_id, 'filter_by_classes[]': classes, 'filter_by_types[]': types } = call.query
      const wanted = types?.flatMap((type) => GROUPS[type] ?? [type])
      const events = state.events.filter(
        (event) =>
          state.printers.get(event.printer)?.userId === callerOf(call).id &&
          (printer_id === undefined || event.printer === printer_id) &&
          (print_id === undefined || event.print === print_id) &&
          (classes === undefined || classes.includes(event.event_class)) &&
          (wanted === undefined || wanted.includes(event.event_type)),
      )
      return pageOf(call, events.toReversed(), 12)
    },

    listSharedResources(call) {
      const { id } = named(call, call.query.printer_id)
      return [...state.shares.values()].filter(({ printer_id }) => printer_id === id)
    },

    sharePrinter(call) {
      const { id } = named(call, call.query.printer_id)
      const known = [...state.shares.values()].find(({ printer_id }) => printer_id === id)
      const share = known ?? { id: state.nextId(), printer_id: id, share_token: hex(36) }
      state.shares.set(share.id, share)
      return [share]
    },

    unsharePrinter(call) {
      const share = state.shares.get(call.params.id)
      if (share === undefined) throw new FakeRefusal('not_found')
      named(call, share.printer_id)
      state.shares.delete(share.id)
    },
  }
}
