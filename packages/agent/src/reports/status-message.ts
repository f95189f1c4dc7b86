import {
  flagsOf,
  type AgentSettings,
  type CommandName,
  type Job,
  type PrinterStatus,
  type StatusMessage,
  type WebcamSettings,
} from '@printwarden/protocol'
import type { HostSnapshot, HostStatus, SceneView } from '../host.js'
import { stateOfPhase } from '../tracking/host-state.js'
import { currentPrintTs, type Tracker } from '../tracking/print-tracker.js'

/** What the agent knows of the host, and of what it fetches for it. */
export interface HostView {
  readonly snapshot: HostSnapshot | null
  readonly reachable: boolean
  /** Why the host is out of reach; null while it is not, and before it was tried. */
  readonly why: string | null
  /** Whether a G-code file is being fetched. */
  readonly downloading: boolean
  /** The stored file that the host was last given, under the path it has there. */
  readonly storedFile: { readonly id: number; readonly path: string } | null
}

/** Before the host has said anything. */
export const NEW_VIEW: HostView = { snapshot: null, reachable: false, why: null, downloading: false, storedFile: null }

export interface CameraView {
  readonly label: string
  readonly primary: boolean
  /** Of the last picture; null before there is one. */
  readonly size: { readonly width: number; readonly height: number } | null
}

/** The name under which the agent presents itself. */
export const AGENT_NAME = 'printwarden-agent'

/** The message that reports the printer's state now. */
export function statusMessage(
  tracker: Tracker,
  view: HostView,
  wallMs: number,
  settings?: AgentSettings,
): StatusMessage {
  return {
    current_print_ts: currentPrintTs(tracker),
    ...(settings ? { settings } : {}),
    status: printerStatus(tracker, view, wallMs),
  }
}

/**
 * The status section. A host that cannot be reached makes the printer Offline; the running print then keeps its job and
 * progress, since it may well go on, but not its temperatures, which nobody knows any more.
 */
export function printerStatus(tracker: Tracker, view: HostView, wallMs: number): PrinterStatus {
  const { snapshot, reachable } = view
  const status = reachable && snapshot ? reachableStatus(tracker, snapshot, view) : offlineStatus(tracker, view)
  const job = status.job && withStoredFile(status.job, view)
  return { _ts: wallMs / 1000, ...status, ...(job ? { job } : {}) }
}

function reachableStatus({ print }: Tracker, { status, phase }: HostSnapshot, { downloading }: HostView): HostStatus {
  if (downloading && phase === 'idle') {
    const text = 'G-Code Downloading'
    return { ...status, state: { text, flags: flagsOf(text) } }
  }
  // Hosts unload the job when they lose the printer, which is just when its end is reported.
  return print?.job && !status.job ? { ...status, job: print.job } : status
}

function withStoredFile(job: Job, { storedFile }: HostView): Job {
  if (job.file.path !== storedFile?.path) return job
  return { ...job, file: { ...job.file, service_g_code_file_id: storedFile.id } }
}

function offlineStatus({ print }: Tracker, { snapshot, why }: HostView): HostStatus {
  const state = { ...stateOfPhase('offline'), ...(why === null ? {} : { error: why }) }
  if (!print) return { state }
  const job = print.job ?? snapshot?.status.job
  const progress = snapshot?.status.progress
  return { state, ...(job ? { job } : {}), ...(progress ? { progress } : {}) }
}

/** The settings section. */
export function agentSettings(
  cameras: readonly CameraView[],
  profiles: readonly Record<string, unknown>[] | null,
  commands: readonly CommandName[],
  version: string,
): AgentSettings {
  return {
    commands: [...commands],
    webcams: cameras.map(webcamSettings),
    ...(profiles ? { temperature: { profiles: [...profiles] } } : {}),
    agent: { name: AGENT_NAME, version },
  }
}

/** Pictures leave the agent upright, so nothing is left to flip or rotate for whoever shows them. */
function webcamSettings({ label, primary, size }: CameraView, index: number): WebcamSettings {
  return {
    name: label,
    is_primary_camera: primary,
    stream_id: index + 1,
    flipV: false,
    flipH: false,
    rotation: 0,
    ...(size ? { streamRatio: aspectRatio(size.width, size.height) } : {}),
  }
}

function aspectRatio(width: number, height: number): string {
  let [a, b] = [width, height]
  while (b > 0) [a, b] = [b, a % b]
  return `${width / a}:${height / a}`
}

/** What a made-up camera draws for a host that is real: a print that goes well, as far as it has come. */
export function sceneOf({ snapshot }: HostView): SceneView {
  const completion = snapshot?.status.progress?.completion ?? 0
  return { printing: snapshot?.phase === 'printing', progress: completion / 100, failure: 0 }
}
