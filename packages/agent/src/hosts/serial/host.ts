import type { HostDeps, PrinterHost } from '../../host.js'
import type { SerialConfig } from '../../hosts.js'
import { listSerialDevices, openSerialLink, type OpenSerialLink } from './client.js'
import { Connection, type ConnectionListener } from './connection-client.js'
import { PrintingHost } from './printing-host.js'
import { WatchingHost } from './watching-host.js'

/** Opens a printer on a serial line, and stays connected. `openLink` is for tests that have a printer of their own. */
export function openSerialHost(
  config: SerialConfig,
  deps: HostDeps,
  openLink: OpenSerialLink = openSerialLink,
): PrinterHost {
  const connect = (listener: ConnectionListener) =>
    new Connection({
      settings: { device: config.device, baud: config.baud },
      openLink,
      listDevices: listSerialDevices,
      listener,
      clock: deps.clock,
      log: deps.log,
    })
  return config.prints_from === 'agent' ? new PrintingHost(deps, connect) : new WatchingHost(deps, connect)
}
