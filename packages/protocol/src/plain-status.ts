import { StateText } from './printer-state.js'
import { MAX_MESSAGE_DEPTH, type StatusMessage } from './status-message.js'

const STATE_TEXTS: ReadonlySet<unknown> = new Set(StateText.options)

type Fields = Readonly<Record<string, unknown>>

/**
 * Whether a value of `JSON.parse` is a status message as agents send them all the time: known for certain to be one by `StatusMessage`, and
 * nested no deeper than is read. What is not may still be a status message: one with an event, with settings or with something rare. That
 * is for the schema to say, which costs several times as much and copies the whole message.
 */
export function isPlainStatus(value: unknown): value is StatusMessage {
  if (!isObject(value) || !isNumber(value['current_print_ts'])) return false
  if (value['event'] !== undefined || value['settings'] !== undefined) return false
  const { seq, status } = value
  if (seq !== undefined && !(Number.isSafeInteger(seq) && Number(seq) >= 0)) return false
  return isObject(status) && isStatus(status) && isHarmless(value, MAX_MESSAGE_DEPTH)
}

function isStatus(status: Fields): boolean {
  return (
    isNumber(status['_ts']) &&
    isState(status['state']) &&
    mayBeNumber(status['currentLayerHeight']) &&
    mayBeNumber(status['currentZ']) &&
    mayBeNumber(status['currentFeedRate']) &&
    mayBeNumber(status['currentFlowRate']) &&
    mayBeNumber(status['currentFanSpeed']) &&
    mayBe(status['job'], isJob) &&
    mayBe(status['progress'], isProgress) &&
    mayBe(status['temperatures'], areTemperatures) &&
    mayBe(status['offsets'], areNumbers) &&
    mayBe(status['resends'], areResends) &&
    mayBe(status['file_metadata'], isMetadata) &&
    status['watched_by'] === undefined &&
    mayBeList(status['objects'], isPrintObject) &&
    status['prompt'] === undefined
  )
}

function isState(state: unknown): boolean {
  if (!isObject(state) || !STATE_TEXTS.has(state['text']) || !mayBeText(state['error'])) return false
  const { flags } = state
  return (
    isObject(flags) &&
    typeof flags['operational'] === 'boolean' &&
    typeof flags['printing'] === 'boolean' &&
    typeof flags['cancelling'] === 'boolean' &&
    typeof flags['pausing'] === 'boolean' &&
    typeof flags['resuming'] === 'boolean' &&
    typeof flags['finishing'] === 'boolean' &&
    typeof flags['paused'] === 'boolean' &&
    mayBeBoolean(flags['closedOrError']) &&
    mayBeBoolean(flags['error']) &&
    mayBeBoolean(flags['ready']) &&
    mayBeBoolean(flags['sdReady'])
  )
}

function isJob(job: Fields): boolean {
  return (
    isObject(job['file']) &&
    isJobFile(job['file']) &&
    mayBeAmount(job['estimatedPrintTime']) &&
    mayBeAmount(job['averagePrintTime']) &&
    mayBeAmount(job['lastPrintTime']) &&
    mayBe(job['filament'], isFilamentUse) &&
    mayBeText(job['user'])
  )
}

function isJobFile(file: Fields): boolean {
  const id = file['service_g_code_file_id']
  return (
    typeof file['name'] === 'string' &&
    typeof file['path'] === 'string' &&
    typeof file['display'] === 'string' &&
    mayBeText(file['origin']) &&
    mayBeNumber(file['size']) &&
    mayBeNumber(file['date']) &&
    (id === undefined || id === null || (Number.isSafeInteger(id) && Number(id) > 0))
  )
}

function isProgress(progress: Fields): boolean {
  const origin = progress['printTimeLeftOrigin']
  return (
    mayBeAmount(progress['completion']) &&
    mayBeAmount(progress['filepos']) &&
    mayBeAmount(progress['printTime']) &&
    mayBeAmount(progress['printTimeLeft']) &&
    (origin === null || mayBeText(origin))
  )
}

function areTemperatures(temperatures: Fields): boolean {
  return (
    mayBe(temperatures['tool0'], isTemperature) &&
    mayBe(temperatures['bed'], isTemperature) &&
    mayBe(temperatures['chamber'], isTemperature)
  )
}

function isTemperature(heater: Fields): boolean {
  return mayBeAmount(heater['actual']) && mayBeAmount(heater['target']) && mayBeNumber(heater['offset'])
}

function areResends(resends: Fields): boolean {
  return mayBeNumber(resends['count']) && mayBeNumber(resends['transmitted']) && mayBeNumber(resends['ratio'])
}

function isMetadata(metadata: Fields): boolean {
  return (
    mayBeText(metadata['hash']) &&
    mayBe(metadata['service'], hasLayerCount) &&
    mayBe(metadata['analysis'], isAnalysis) &&
    mayBeList(metadata['history'], isPastPrint) &&
    mayBe(metadata['statistics'], isAnything)
  )
}

function isAnalysis(analysis: Fields): boolean {
  return (
    mayBe(analysis['printingArea'], isArea) &&
    mayBe(analysis['travelArea'], isArea) &&
    mayBe(analysis['dimensions'], areDimensions) &&
    mayBe(analysis['travelDimensions'], areDimensions) &&
    mayBeAmount(analysis['estimatedPrintTime']) &&
    mayBe(analysis['filament'], isFilamentUse)
  )
}

function isArea(area: Fields): boolean {
  return (
    mayBeNumber(area['maxX']) &&
    mayBeNumber(area['maxY']) &&
    mayBeNumber(area['maxZ']) &&
    mayBeNumber(area['minX']) &&
    mayBeNumber(area['minY']) &&
    mayBeNumber(area['minZ'])
  )
}

function areDimensions(dimensions: Fields): boolean {
  return mayBeNumber(dimensions['depth']) && mayBeNumber(dimensions['height']) && mayBeNumber(dimensions['width'])
}

function isPastPrint(past: Fields): boolean {
  return (
    mayBeNumber(past['timestamp']) &&
    mayBeAmount(past['printTime']) &&
    mayBeBoolean(past['success']) &&
    mayBeText(past['printerProfile'])
  )
}

const hasLayerCount = (service: Fields): boolean => mayBeAmount(service['totalLayerCount'])
const isFilamentUse = (filament: Fields): boolean => mayBe(filament['tool0'], isUse)
const isUse = (use: Fields): boolean => mayBeNumber(use['length']) && mayBeNumber(use['volume'])
const isPrintObject = (object: Fields): boolean =>
  typeof object['name'] === 'string' && typeof object['excluded'] === 'boolean'
const isAnything = (): boolean => true

function areNumbers(record: Fields): boolean {
  for (const key in record) if (!isNumber(record[key])) return false
  return true
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** JSON has no way to write what is no number, but one to write a number that is too large. */
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

const mayBeNumber = (value: unknown): boolean => value === undefined || isNumber(value)
const mayBeAmount = (value: unknown): boolean => value === null || mayBeNumber(value)
const mayBeText = (value: unknown): boolean => value === undefined || typeof value === 'string'
const mayBeBoolean = (value: unknown): boolean => value === undefined || typeof value === 'boolean'

const mayBe = (value: unknown, is: (fields: Fields) => boolean): boolean =>
  value === undefined || (isObject(value) && is(value))

const mayBeList = (value: unknown, is: (fields: Fields) => boolean): boolean =>
  value === undefined || (Array.isArray(value) && value.every((one: unknown) => isObject(one) && is(one)))

/** Nothing too deep, and no key that would be dropped. Fields that nobody knows are passed on, whatever they are. */
function isHarmless(value: object, maxDepth: number): boolean {
  if (maxDepth === 0) return false
  for (const key in value) {
    if (key === '__proto__') return false
    const child: unknown = value[key as keyof typeof value]
    if (typeof child === 'object' && child !== null && !isHarmless(child, maxDepth - 1)) return false
  }
  return true
}
