import type { Printer } from '@printwarden/protocol'
import { withAgentNames } from '../../printers/existing-names.js'

/** Of the settings what it takes to show a camera the right way. The rest tells of the machine and is no guest's business. */
const GUEST_SETTINGS = [
  'data_channel_id',
  'webcam_flipV',
  'webcam_flipH',
  'webcam_rotation',
  'webcam_rotate90',
  'webcam_streamRatio',
  'ratio169',
  'agent_name',
]
const GUEST_CAMERA = [
  'name',
  'is_primary_camera',
  'is_nozzle_camera',
  'stream_mode',
  'stream_id',
  'data_channel_available',
  'flipV',
  'flipH',
  'rotation',
  'streamRatio',
]

/** What a guest may know of a printer (wire facts, section 3.6): its name and picture, and how to show them. */
export function guestView({
  name,
  pic,
  settings,
}: Pick<Printer, 'name' | 'pic' | 'settings'>): Record<string, unknown> {
  const { webcams } = settings
  const cameras = Array.isArray(webcams) ? webcams.filter(isRecord).map((camera) => only(camera, GUEST_CAMERA)) : []
  return { name, pic, settings: { ...only(withAgentNames(settings), GUEST_SETTINGS), webcams: cameras } }
}

/** The streams of the cameras that a printer reports: what a guest may watch. */
export function cameraStreams(settings: Readonly<Record<string, unknown>>): ReadonlySet<number> {
  const { webcams } = settings
  const cameras = Array.isArray(webcams) ? webcams.filter(isRecord) : []
  return new Set(cameras.flatMap(({ stream_id: id }) => (typeof id === 'number' ? [id] : [])))
}

const only = (record: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)))

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
