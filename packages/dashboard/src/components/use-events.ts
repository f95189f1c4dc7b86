import type { PrinterEvent } from '@printwarden/sdk'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useApp } from '../app-state.js'

const MOST = 50

/** What happened on a printer or during a print, newest first, going on live. Undefined while it is loading. */
export function useEvents(about: { printer_id: number } | { print_id: number }): readonly PrinterEvent[] | undefined {
  const { client, live, notices } = useApp()
  const [recorded, setRecorded] = useState<readonly PrinterEvent[] | undefined>(undefined)
  const isLive = live.status.value.state === 'live'
  const fresh = live.events.value
  const key = JSON.stringify(about)

  useEffect(() => {
    if (!isLive) return
    const controller = new AbortController()
    client
      .listPrinterEvents({ ...about, limit: MOST }, { signal: controller.signal })
      .then(setRecorded)
      .catch((error: unknown) => {
        if (!controller.signal.aborted) notices.complain('Could not load the history', error)
      })
    return () => controller.abort()
  }, [key, isLive])

  return useMemo(() => {
    if (recorded === undefined) return undefined
    const known = new Set(recorded.map((event) => event.id))
    const isOurs = (event: PrinterEvent) =>
      'printer_id' in about ? event.printer === about.printer_id : event.print === about.print_id
    return [...fresh.filter((event) => isOurs(event) && !known.has(event.id)), ...recorded]
  }, [recorded, fresh, key])
}
