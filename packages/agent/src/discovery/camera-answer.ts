import type { WebAnswer } from './host-answer.js'

/** A camera that a host knows, as the keys of a `[camera …]` section. */
export type CameraKeys = Readonly<Record<string, string>>

/** Where cameras of hosts usually are, when the host says nothing: on its machine, behind its proxy or beside it. */
export function usualCameras(hostUrl: string): string[] {
  const { hostname } = new URL(hostUrl)
  return [`http://${hostname}/webcam/?action=snapshot`, `http://${hostname}:8080/?action=snapshot`]
}

/** The camera in OctoPrint's answer to `GET /api/settings`. */
export function octoPrintCamera(hostUrl: string, { data }: WebAnswer): CameraKeys | undefined {
  const webcam = isObject(data) && isObject(data['webcam']) ? data['webcam'] : undefined
  const url = absolute(webcam?.['snapshotUrl'], hostUrl)
  if (webcam === undefined || url === undefined) return undefined
  // Its one switch turns the picture a quarter to the left.
  return withTurns(url, webcam['flipH'] === true, webcam['flipV'] === true, webcam['rotate90'] === true ? 270 : 0)
}

/** Hosts write addresses as seen from the page of their own machine, which is at port 80. */
function absolute(value: unknown, hostUrl: string): string | undefined {
  if (typeof value !== 'string' || value.trim() === '' || value.length > 2000) return undefined
  const page = `http://${new URL(hostUrl).hostname}/`
  if (!URL.canParse(value.trim(), page)) return undefined
  const url = new URL(value.trim(), page)
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined
}

function withTurns(url: string, flipH: boolean, flipV: boolean, rotation: number): CameraKeys {
  return {
    snapshot_url: url,
    ...(flipH ? { flip_h: 'true' } : {}),
    ...(flipV ? { flip_v: 'true' } : {}),
    ...([90, 180, 270].includes(rotation) ? { rotation: String(rotation) } : {}),
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
