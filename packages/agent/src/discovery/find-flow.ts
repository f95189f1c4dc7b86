import { networkInterfaces } from 'node:os'
import { create } from 'axios'
import { browseServices } from './mdns-client.js'
import { moonrakerOf, octoPrintOf, withLoopback, type FoundHost, type WebAnswer } from './host-answer.js'
import { urlOfService } from './service-records.js'

const SERVER_SERVICE = '_printwarden._tcp'
const HOST_SERVICES = ['_octoprint._tcp', '_moonraker._tcp'] as const

/** Where hosts are on their own machine: OctoPrint, the proxy of its images, Moonraker. */
const LOCAL_PLACES = ['http://127.0.0.1:5000', 'http://127.0.0.1', 'http://127.0.0.1:7125'] as const

const BROWSE_MS = 2500
const PROBE_MS = 2000
const MAX_BYTES = 256 * 1024
const MAX_PROBES = 20

/** Servers that tell of themselves in the local network. Takes two and a half seconds, whatever happens. */
export async function findServers(signal: AbortSignal): Promise<string[]> {
  const services = await browseServices([SERVER_SERVICE], { waitMs: BROWSE_MS, signal })
  return [...new Set(services.map(urlOfService))]
}

/** Hosts on this machine, then those that tell of themselves in the local network. Takes a few seconds at most. */
export async function findHosts(signal: AbortSignal): Promise<FoundHost[]> {
  const services = await browseServices(HOST_SERVICES, { waitMs: BROWSE_MS, signal })
  const own = ownAddresses()
  const urls = services.map(urlOfService).map((url) => withLoopback(url, own))
  const places = [...new Set([...LOCAL_PLACES, ...urls])].slice(0, MAX_PROBES)
  const hosts = await Promise.all(places.map((url) => hostAt(url, signal)))
  return hosts.filter((host) => host !== undefined)
}

/** What prints at an address, if anything does. Never fails. */
export async function hostAt(url: string, signal: AbortSignal): Promise<FoundHost | undefined> {
  const http = create({
    baseURL: url,
    timeout: PROBE_MS,
    signal,
    proxy: false,
    maxRedirects: 0,
    maxContentLength: MAX_BYTES,
    validateStatus: () => true,
  })
  const get = (path: string): Promise<WebAnswer> =>
    http.get<unknown>(path).then(
      ({ status, data }) => ({ status, data }),
      () => ({ status: 0, data: undefined }),
    )
  const [info, probe, version] = await Promise.all([
    get('/server/info'),
    get('/plugin/appkeys/probe'),
    get('/api/version'),
  ])
  return moonrakerOf(url, info) ?? octoPrintOf(url, probe, version)
}

/** This machine's addresses in its networks, IPv4 first. */
export function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const outside = all.filter(({ internal }) => !internal)
  return [
    ...outside.filter(({ family }) => family === 'IPv4').map(({ address }) => address),
    ...outside
      .filter(({ family, address }) => family === 'IPv6' && !address.startsWith('fe80:'))
      .map(({ address }) => `[${address}]`),
  ]
}
