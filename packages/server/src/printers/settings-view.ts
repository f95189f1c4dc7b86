import { z } from 'zod'
import { memoizeByText } from '../memoize.js'

const Stored = z.looseObject({})
const Camera = z.looseObject({
  flipV: z.boolean().catch(false),
  flipH: z.boolean().catch(false),
  rotation: z.number().catch(0),
  streamRatio: z.string().catch('16:9'),
})
const Cameras = z.array(Camera).min(1)
const Profiles = z.looseObject({ profiles: z.array(z.unknown()) })

/** Sections that clients expect as JSON text. */
const AS_TEXT = ['printer_metadata', 'platform_uname', 'installed_plugins']

/**
 * `Printer.settings`: what the agent reported, and beside it the flat fields that existing clients read (wire facts,
 * section 1.4). Never null.
 */
export const settingsView = memoizeByText(readSettings, 2_000)

function readSettings(text: string): Readonly<Record<string, unknown>> {
  const stored = parse(text)
  const texts = AS_TEXT.filter((key) => stored[key] !== undefined).map((key) => [key, JSON.stringify(stored[key])])
  const profiles = Profiles.safeParse(stored['temperature']).data?.profiles
  return {
    ...stored,
    ...cameraFields(stored['webcams']),
    ...Object.fromEntries(texts),
    ...(profiles === undefined ? {} : { temp_profiles: profiles }),
    ...('data_channel_id' in stored ? { data_channel_id: idText(stored['data_channel_id']) } : {}),
  }
}

/** How to show the first camera's picture. */
function cameraFields(webcams: unknown) {
  const [camera] = Cameras.safeParse(webcams).data ?? [Camera.parse({})]
  const { flipV, flipH, rotation, streamRatio } = camera ?? Camera.parse({})
  return {
    webcam_flipV: flipV,
    webcam_flipH: flipH,
    webcam_rotation: rotation,
    webcam_rotate90: rotation === 270,
    webcam_streamRatio: streamRatio,
    ratio169: streamRatio === '16:9',
  }
}

/** Stream ids are numbers on the agent's side and decimal text on the client's. */
function idText(id: unknown): string {
  return typeof id === 'number' || typeof id === 'string' ? String(id) : ''
}

function parse(text: string): Record<string, unknown> {
  try {
    return Stored.safeParse(JSON.parse(text)).data ?? {}
  } catch {
    return {}
  }
}
