import type { Input, Printer } from '@printwarden/sdk'
import { useRef, useState } from 'preact/hooks'
import { useApp } from '../app-state.js'

/** The settings of a printer that can be changed. */
export type PrinterChanges = Omit<Input<'updatePrinter'>, 'id'>

/**
 * A printer with the changes that are on their way to the server, so that a switch stays where it was put. Changes are sent one
 * after the other; one that is refused is complained about, and the switch goes back.
 */
export function usePrinterChanges(known: Printer): { printer: Printer; change: (changes: PrinterChanges) => void } {
  const { client, live, notices } = useApp()
  const [wished, setWished] = useState<PrinterChanges>({})
  const sending = useRef<Promise<void>>(Promise.resolve())
  const waiting = useRef(0)

  async function send(changes: PrinterChanges): Promise<void> {
    try {
      live.putPrinter(await client.updatePrinter({ id: known.id, ...changes }))
    } catch (error) {
      notices.complain('Could not change it', error)
    }
    waiting.current -= 1
    if (waiting.current === 0) setWished({})
  }

  return {
    printer: { ...known, ...wished },
    change: (changes) => {
      waiting.current += 1
      setWished((before) => ({ ...before, ...changes }))
      sending.current = sending.current.then(() => send(changes))
    },
  }
}
