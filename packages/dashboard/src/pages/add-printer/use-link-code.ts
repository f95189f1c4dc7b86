import type { Output, Printer } from '@printwarden/sdk'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useApp } from '../../app-state.js'
import { secondsOf } from '../../format.js'

export type LinkCode = Output<'getLinkCode'>

const LOOK_MS = 3000

/**
 * The code that is good now for this printer, or for a new one: asked for, followed until an agent has used it, and followed by
 * another when its time is over. Undefined until there is one.
 */
export function useLinkCode(printerId: number | undefined, onLinked: (printer: Printer) => void): LinkCode | undefined {
  const { client, notices, now } = useApp()
  const [code, setCode] = useState<LinkCode | undefined>(undefined)
  const linked = useRef(onLinked)
  linked.current = onLinked

  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    let current: LinkCode | undefined
    let timer: ReturnType<typeof setTimeout> | undefined

    const find = (): Promise<LinkCode> =>
      current === undefined || secondsOf(current.expired_at) <= now.value
        ? client.requestLinkCode(printerId === undefined ? {} : { printer_id: printerId }, { signal })
        : client.getLinkCode({ id: current.id }, { signal })

    const look = async (): Promise<void> => {
      try {
        const found = await find()
        if (signal.aborted) return
        if (found.verified_at !== null && found.printer !== null) return linked.current(found.printer)
        current = found
        setCode(found)
      } catch (error) {
        if (signal.aborted) return
        // Once there is a code, the next look will do.
        if (current === undefined) notices.complain('Could not get a code', error)
      }
      timer = setTimeout(() => void look(), LOOK_MS)
    }
    void look()
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [client, printerId])
  return code
}
