import { z } from 'zod'
import { cameraConfig, type CameraConfig } from './camera-config.js'
import { hostConfig, type HostConfig } from '../hosts.js'
import type { IniFile, IniProblem, IniSection } from './ini.js'
import { DEFAULT_FRAME_QUOTA, type FrameQuota } from '../pictures/frame-quota.js'
import { iniBaseUrl, iniNumber } from './ini-values.js'

/** One printer: how it is known to the server, where it is, and who looks at it. */
export interface PrinterConfig {
  readonly name: string
  readonly authToken: string
  readonly host: HostConfig
  readonly cameras: readonly CameraConfig[]
  /** How many pictures may be kept on disk while the server is away. */
  readonly frameQuota?: FrameQuota
}

export interface AgentConfig {
  readonly serverUrl: string
  readonly printers: readonly PrinterConfig[]
}

export interface ConfigResult {
  /** Only there when nothing is wrong. */
  readonly config?: AgentConfig
  readonly problems: readonly IniProblem[]
}

const serverSection = z.strictObject({ url: iniBaseUrl })
const MEBIBYTE = 1024 * 1024
/** What of a printer's pictures is kept while the server is away. */
const offlineConfig = z.strictObject({
  offline_pictures: iniNumber({ min: 0, max: 10_000, whole: true }).default(DEFAULT_FRAME_QUOTA.frames),
  offline_pictures_mb: iniNumber({ min: 0, max: 10_000 }).default(DEFAULT_FRAME_QUOTA.bytes / MEBIBYTE),
})
const authToken = z
  .string()
  .regex(/^([0-9a-f]{20}|[0-9a-f]{40})$/i, 'should be the 40 hexadecimal digits that the server shows for this printer')

/** Turns the parsed file into the configuration, or says everything that is wrong with it, line by line. */
export function readConfig(file: IniFile): ConfigResult {
  const problems: IniProblem[] = [...file.problems]
  const report = (line: number, message: string) => problems.push({ line, message })

  const servers = file.sections.filter(({ name }) => name === 'server')
  const printers = file.sections.filter(({ name }) => name.startsWith('printer '))
  const cameras = file.sections.filter(({ name }) => name.startsWith('camera '))
  for (const { name, line } of file.sections) {
    if (/^(server|printer \S+|camera \S.*)$/.test(name)) continue
    report(line, `[${name}] is unknown: sections are [server], [printer NAME] and [camera PRINTER LABEL]`)
  }

  const server = servers[0] && readSection(serverSection, servers[0], report)
  if (!servers[0]) report(1, '[server] with the url of the server is missing')
  if (printers.length === 0) report(1, 'there is no [printer NAME] section')

  const read = printers.map((section) => readPrinter(section, report))
  checkTokens(printers, report)
  const assigned = assignCameras(cameras, printers, report)
  for (const section of printers) checkCameraHost(section, assigned, report)
  for (const section of printers) checkWebcams(section, assigned, report)
  if (problems.length > 0 || !server) return { problems: sorted(problems) }

  const withCameras = read.flatMap((printer) =>
    printer ? [{ ...printer, cameras: camerasOf(printer.host, assigned.get(printer.name) ?? []) }] : [],
  )
  return { config: { serverUrl: server.url, printers: withCameras }, problems: [] }
}

type Report = (line: number, message: string) => void

function sorted(problems: IniProblem[]): IniProblem[] {
  return problems.sort((a, b) => a.line - b.line)
}

function readPrinter(section: IniSection, report: Report): Omit<PrinterConfig, 'cameras'> | undefined {
  const { token, rest } = takeToken(section, report)
  const { own, others } = takeKeys(rest, Object.keys(offlineConfig.shape))
  const offline = readSection(offlineConfig, own, report)
  const host = readSection(hostConfig, others, report)
  if (token === undefined || host === undefined || offline === undefined) return undefined
  const frameQuota = { frames: offline.offline_pictures, bytes: offline.offline_pictures_mb * MEBIBYTE }
  return { name: section.name.slice('printer '.length), authToken: token.toLowerCase(), host, frameQuota }
}

function takeKeys(section: IniSection, keys: readonly string[]): { own: IniSection; others: IniSection } {
  const isOwn = ({ key }: { key: string }) => keys.includes(key)
  return {
    own: { ...section, entries: section.entries.filter((entry) => isOwn(entry)) },
    others: { ...section, entries: section.entries.filter((entry) => !isOwn(entry)) },
  }
}

/** The token belongs to the printer, all other keys to its host. */
function takeToken(section: IniSection, report: Report): { token: string | undefined; rest: IniSection } {
  const entry = section.entries.find(({ key }) => key === 'auth_token')
  const rest = { ...section, entries: section.entries.filter(({ key }) => key !== 'auth_token') }
  if (!entry) {
    report(section.line, `[${section.name}] auth_token (or auth_token_file) is missing`)
    return { token: undefined, rest }
  }
  const token = authToken.safeParse(entry.value)
  for (const { message } of token.error?.issues ?? []) report(entry.line, `[${section.name}] auth_token ${message}`)
  return { token: token.data, rest }
}

/** Two printers with one token would replace each other at the server, for ever. */
function checkTokens(printers: readonly IniSection[], report: Report): void {
  const owners = new Map<string, string>()
  for (const { name, entries } of printers) {
    const entry = entries.find(({ key }) => key === 'auth_token')
    if (!entry || !authToken.safeParse(entry.value).success) continue
    const token = entry.value.toLowerCase()
    const owner = owners.get(token)
    if (owner) report(entry.line, `[${name}] auth_token is that of [${owner}]: each printer has its own`)
    owners.set(token, name)
  }
}

function assignCameras(
  sections: readonly IniSection[],
  printers: readonly IniSection[],
  report: Report,
): Map<string, CameraConfig[]> {
  const names = printers.map(({ name }) => name.slice('printer '.length))
  const assigned = new Map<string, CameraConfig[]>(names.map((name) => [name, []]))
  for (const section of sections) {
    const { printer, label } = ownerOf(section, names)
    const owned = printer === undefined ? undefined : assigned.get(printer)
    if (!owned) report(section.line, `[${section.name}] belongs to no [printer …] section`)
    const camera = readSection(cameraConfig, section, report)
    if (!camera || !owned) continue
    if (camera.primary && owned.some(({ primary }) => primary)) {
      report(section.line, `[${section.name}] is a second primary camera of this printer`)
    }
    owned.push({ ...camera, label, primary: camera.primary ?? false })
  }
  for (const cameras of assigned.values()) {
    const [first] = cameras
    if (first && !cameras.some(({ primary }) => primary)) cameras[0] = { ...first, primary: true }
  }
  return assigned
}

/** A printer that is known by its pictures alone needs some. */
function checkCameraHost(
  { name, line, entries }: IniSection,
  assigned: Map<string, CameraConfig[]>,
  report: Report,
): void {
  const isByPicture = entries.some(({ key, value }) => key === 'host' && value === 'camera')
  const cameras = assigned.get(name.slice('printer '.length)) ?? []
  if (isByPicture && cameras.length === 0) report(line, `[${name}] host: camera needs a [camera …] section`)
}

/** Only Moonraker has webcams of its own. */
function checkWebcams(
  { name, line, entries }: IniSection,
  assigned: Map<string, CameraConfig[]>,
  report: Report,
): void {
  const isMoonraker = entries.some(({ key, value }) => key === 'host' && value === 'moonraker')
  const cameras = assigned.get(name.slice('printer '.length)) ?? []
  if (isMoonraker || !cameras.some(({ source }) => source.type === 'webcam')) return
  report(line, `[${name}] has a camera with the key webcam, which is for host: moonraker`)
}

/** The cameras with what they need of their printer's host. */
function camerasOf(host: HostConfig, cameras: readonly CameraConfig[]): CameraConfig[] {
  return cameras.map((camera) => {
    if (camera.source.type !== 'webcam' || host.host !== 'moonraker') return camera
    return { ...camera, source: { ...camera.source, moonraker: { url: host.url, apiKey: host.api_key } } }
  })
}

/** `[camera mk3 bed]` is the camera "bed" of mk3. Where there is only one printer, its name may be left out. */
function ownerOf({ name }: IniSection, printers: readonly string[]): { printer: string | undefined; label: string } {
  const [first = '', ...rest] = name.slice('camera '.length).split(' ')
  if (printers.includes(first)) return { printer: first, label: rest.join(' ') || 'camera' }
  return { printer: printers.length === 1 ? printers[0] : undefined, label: [first, ...rest].join(' ') }
}

function readSection<T>(schema: z.ZodType<T>, section: IniSection, report: Report): T | undefined {
  const values = Object.fromEntries(section.entries.map(({ key, value }) => [key, value]))
  const result = schema.safeParse(values)
  for (const issue of result.error?.issues ?? []) {
    for (const key of issue.code === 'unrecognized_keys' ? issue.keys : [String(issue.path[0] ?? '')]) {
      const line = section.entries.find((entry) => entry.key === key)?.line ?? section.line
      const missing = key !== '' && values[key] === undefined
      const message =
        issue.code === 'unrecognized_keys' ? 'is no key of this section' : missing ? 'is missing' : issue.message
      report(line, `[${section.name}] ${key}${key ? ' ' : ''}${message}`)
    }
  }
  return result.data
}
