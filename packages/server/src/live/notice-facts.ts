import type { LiveFacts } from '../printers/live-view.js'
import { PIC_TTL_MS, STATUS_TTL_MS } from '../printers/live-keys.js'
import type { PrinterNotice } from '../printers/notices.js'
import type { PrinterFacts } from '../printers/view.js'

/** Facts of a printer, and when its status came. */
export interface HeardFacts {
  readonly facts: PrinterFacts
  readonly statusAt: number
}

/** A notice that carries the value which changed. */
export type LiveNotice = Extract<PrinterNotice, { type: 'status' | 'pic' | 'gauge' | 'watch' }>

/** What a notice makes of the facts. */
export function hear({ facts, statusAt }: HeardFacts, notice: LiveNotice, now: number): HeardFacts {
  switch (notice.type) {
    case 'status':
      return { facts: withLive(facts, { status: notice.status }), statusAt: now }
    case 'pic':
      return { facts: withLive(facts, { pic: notice.pic }), statusAt }
    case 'watch':
      return { facts: withLive(facts, { watch: notice.watch }), statusAt }
    case 'gauge':
      return { facts: withPrediction(withLive(facts, { normalized_p: notice.normalized_p })), statusAt }
  }
}

/** What time alone makes of the facts: a printer that fell silent is offline, and an old picture is not shown. */
export function age({ facts, statusAt }: HeardFacts, now: number): HeardFacts {
  const { status, pic } = facts.live
  const isSilent = status !== null && now - statusAt >= STATUS_TTL_MS
  const isPicOld = pic !== null && now - pic.ts * 1000 >= PIC_TTL_MS
  if (!isSilent && !isPicOld) return { facts, statusAt }
  return { facts: withLive(facts, { ...(isSilent && { status: null }), ...(isPicOld && { pic: null }) }), statusAt }
}

function withLive(facts: PrinterFacts, changes: Partial<LiveFacts>): PrinterFacts {
  return { ...facts, live: { ...facts.live, ...changes } }
}

/** Each value of the gauge is a stored prediction, so there are some to read. */
function withPrediction(facts: PrinterFacts): PrinterFacts {
  if (facts.print === null || facts.print.has_predictions !== 0) return facts
  return { ...facts, print: { ...facts.print, has_predictions: 1 } }
}
