import { isIPv6 } from 'node:net'
import { z } from 'zod'
import type { DiscoverySecrets } from '../agents/linking-discovery-flow.js'
import { parseAllowEntry } from '../outbound-rules.js'
import { OutboundError } from '../ports.js'
import { openGuardedOutbound } from './outbound-guarded.js'

/** Where agents tell their secret: newer ones, then older ones (wire facts, section 7). */
const PATHS = ['/plugin/obico/grab-discovery-secret', '/plugin/thespaghettidetective/grab-discovery-secret']

const LIMITS = { maxBytes: 4096, connectMs: 1500, timeoutMs: 3000 }

const Told = z.object({ device_secret: z.string().min(1).max(256) })

/** Asks the agents themselves. Nothing but the very address and port that is asked can be reached by a redirect, save the public internet. */
export function openHttpDiscoverySecrets(): DiscoverySecrets {
  return {
    async secretOf({ address, port, device_id }) {
      const host = isIPv6(address) ? `[${address}]` : address
      const allowed = parseAllowEntry(`${host}:${port}`)
      if (allowed === undefined) return undefined
      const outbound = openGuardedOutbound({ allow: [allowed] })
      for (const path of PATHS) {
        const url = `http://${host}:${port}${path}?device_id=${encodeURIComponent(device_id)}`
        try {
          const { status, body } = await outbound.request({ url, headers: { accept: 'application/json' }, ...LIMITS })
          if (status === 200) return Told.safeParse(JSON.parse(body.toString('utf8'))).data?.device_secret
        } catch (error) {
          // Whatever else answers there, or nothing: no such agent.
          if (error instanceof OutboundError || error instanceof SyntaxError) return undefined
          throw error
        }
      }
      return undefined
    },
  }
}
