/** A program in the network that told of itself. */
export interface FoundService {
  /** The type it was asked for, such as `_octoprint._tcp`. */
  readonly type: string
  /** What it calls itself: the first part of its record's name. */
  readonly name: string
  readonly address: string
  readonly port: number
  readonly text: Readonly<Record<string, string>>
}

/** One record of an answer, as far as it matters here. */
export interface ServiceRecord {
  readonly type: string
  readonly name: string
  readonly data?: unknown
}

const MAX_SERVICES = 50

/** The services of these types that the records describe; half of a description is passed over. */
export function servicesOf(types: readonly string[], records: readonly ServiceRecord[]): FoundService[] {
  const found: FoundService[] = []
  for (const type of types) {
    const domain = `${type}.local`
    for (const instance of instancesOf(domain, records)) {
      const server = serverOf(instance, records)
      const address = server === undefined ? undefined : addressOf(server.target, records)
      if (server === undefined || address === undefined || found.length >= MAX_SERVICES) continue
      found.push({
        type,
        name: instance.slice(0, -domain.length - 1),
        address,
        port: server.port,
        text: textOf(instance, records),
      })
    }
  }
  return found
}

/** Names are compared as the domain name system does, without regard to case. */
const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

function instancesOf(domain: string, records: readonly ServiceRecord[]): Set<string> {
  const names = records.flatMap(({ type, name, data }) =>
    type === 'PTR' && isSame(name, domain) && typeof data === 'string' ? [data] : [],
  )
  return new Set(names.filter((name) => name.toLowerCase().endsWith(`.${domain}`)))
}

function serverOf(instance: string, records: readonly ServiceRecord[]): { target: string; port: number } | undefined {
  for (const { type, name, data } of records) {
    if (type !== 'SRV' || !isSame(name, instance) || typeof data !== 'object' || data === null) continue
    if (!('target' in data) || !('port' in data)) continue
    const { target, port } = data
    if (typeof target === 'string' && typeof port === 'number' && port > 0 && port < 65_536) return { target, port }
  }
  return undefined
}

/** An IPv4 address where there is one: those of IPv6 are often only good on one link. */
function addressOf(target: string, records: readonly ServiceRecord[]): string | undefined {
  const own = records.filter(({ name, data }) => isSame(name, target) && typeof data === 'string')
  const v4 = own.filter(({ type, data }) => type === 'A' && !String(data).startsWith('127.'))
  const any = v4[0] ?? own.find(({ type }) => type === 'A')
  if (any !== undefined) return String(any.data)
  const v6 = own.find(({ type, data }) => type === 'AAAA' && !/^fe80:/i.test(String(data)))
  return v6 === undefined ? undefined : `[${String(v6.data)}]`
}

function textOf(instance: string, records: readonly ServiceRecord[]): Record<string, string> {
  const text: Record<string, string> = {}
  for (const { type, name, data } of records) {
    if (type !== 'TXT' || !isSame(name, instance)) continue
    for (const part of Array.isArray(data) ? data : [data]) {
      const [, key, value = ''] = /^([^=]{1,64})=?([^]{0,255})$/.exec(String(part)) ?? []
      if (key !== undefined) text[key.toLowerCase()] = value
    }
  }
  return text
}

/** The web address of a service: with `https` and a path where it says so. */
export function urlOfService({ address, port, text }: FoundService): string {
  const scheme = text['scheme'] === 'https' || text['https'] === 'true' || port === 443 ? 'https' : 'http'
  const isUsual = port === (scheme === 'https' ? 443 : 80)
  const path = /^\/[\w./-]*$/.test(text['path'] ?? '') ? (text['path'] ?? '').replace(/\/+$/, '') : ''
  return `${scheme}://${address}${isUsual ? '' : `:${port}`}${path}`
}
