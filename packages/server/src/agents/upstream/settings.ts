import { ownAgentName } from '../../printers/existing-names.js'
import type { DeviationKind } from './deviations.js'
import { dropNulls, type Fields, isFields } from './plain.js'

/** How the agent is known so far. */
export interface KnownAgent {
  readonly agent_name: string | null
  readonly agent_version: string | null
}

/** The settings of an upstream agent as the contract has them. A key that is null or absent says nothing: agents tell some rarely. */
export function readSettings(raw: Fields, known: KnownAgent, note: (kind: DeviationKind) => void): Fields {
  if (dropNulls(raw)) note('null_value')
  const { webcam, webcams, temperature, agent, tsd_plugin_version, ...others } = raw
  if (webcam !== undefined && webcams === undefined) note('legacy_webcam')
  const cameras = Array.isArray(webcams) ? webcams.map(readCamera) : isFields(webcam) ? [readCamera(webcam)] : undefined
  return {
    ...others,
    ...(cameras === undefined ? {} : { webcams: cameras }),
    ...(isFields(temperature) ? { temperature: { profiles: [], ...temperature } } : {}),
    ...(typeof tsd_plugin_version === 'string' ? { service_plugin_version: tsd_plugin_version } : {}),
    agent: readAgent(agent, known, note),
  }
}

function readAgent(agent: unknown, known: KnownAgent, note: (kind: DeviationKind) => void): Fields {
  const { name, version, ...others } = isFields(agent) ? agent : {}
  if (typeof name !== 'string' || typeof version !== 'string') note('agent_unnamed')
  return {
    ...others,
    name: typeof name === 'string' ? ownAgentName(name) : (known.agent_name ?? 'unknown'),
    version: typeof version === 'string' ? version : (known.agent_version ?? ''),
  }
}

/** Older agents tell of one camera, with no name and no stream, and turn it only by a quarter. */
function readCamera(camera: unknown): unknown {
  if (!isFields(camera)) return camera
  const isTurned = camera['rotate90'] === true && camera['rotation'] === undefined
  const { name = 'Camera', stream_id = 0, ...others } = camera
  return { ...others, name, stream_id, ...(isTurned ? { rotation: 270 } : {}) }
}
