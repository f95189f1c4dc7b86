import { z } from 'zod'

// Proof of watching: what is known of a printer's cameras, and why a print is not watched when it is not.

const instant = z.iso.datetime().nullable()

/** Why pictures are not checked for failures: a stable code, and words for people. */
export const NOT_WATCHING_REASONS = {
  disabled: 'Failure detection is turned off for this printer.',
  detector_unavailable: 'Failure detection is not available on this server.',
  offline: 'The printer is offline.',
  not_printing: 'The printer is not printing.',
  muted: 'Failure detection is muted for this print.',
  no_picture: 'No picture has arrived from the camera lately.',
  camera_dark: 'The camera cannot see: its picture is dark.',
  camera_covered: 'The camera cannot see: something seems to cover it.',
  camera_overexposed: 'The camera cannot see: its picture is too bright.',
  camera_frozen: 'The camera cannot see: its picture has not changed although the printer moves.',
  camera_blurred: 'The camera cannot see: its picture is out of focus.',
  not_analysed: 'Pictures arrive, but none was checked lately.',
  self_test_failed: 'The last self-test of failure detection failed.',
} as const
export type NotWatchingCode = keyof typeof NOT_WATCHING_REASONS

/** The codes as a list. */
export const NOT_WATCHING_CODES = Object.keys(NOT_WATCHING_REASONS) as [NotWatchingCode, ...NotWatchingCode[]]

/** What its user can do about a print that is not watched. Null: there is nothing to be done. */
export const NOT_WATCHING_ADVICE: Readonly<Record<NotWatchingCode, string | null>> = {
  disabled: 'Turn it on in the watching settings.',
  detector_unavailable: 'Ask whoever runs this server to look at its log.',
  offline: 'Check that the printer’s agent is running and has a network connection.',
  not_printing: null,
  muted: 'Turn it on again if you want this print to be watched.',
  no_picture: 'Check that the camera is connected and that the agent can read it.',
  camera_dark: 'Switch a light on.',
  camera_covered: 'Check that nothing is in front of the lens.',
  camera_overexposed: 'Move the light, or lower the camera’s exposure.',
  camera_frozen: 'Restart the camera or its streaming program.',
  camera_blurred: 'Clean the lens and focus the camera.',
  not_analysed: 'The server may be overloaded. Ask whoever runs it to look at its log.',
  self_test_failed: 'Run the self-test again. If it fails again, ask whoever runs this server to look at the model.',
}

/** A known picture of a failure was sent the way of a camera's pictures. It passes when the failure is found. */
export const SelfTest = z
  .object({
    at: z.iso.datetime(),
    passed: z.boolean(),
    /** How much the picture looked like a failure, 0 to 1; null when it was not looked at. */
    score: z.number().nullable(),
    /** The score from which on it passes. */
    threshold: z.number(),
    /** From its turn in the queue to its score, in milliseconds. */
    took_ms: z.number(),
    model: z.string().nullable(),
    /** Why it failed, in words. */
    error: z.string().nullable(),
  })
  .meta({ id: 'SelfTest' })
export type SelfTest = z.infer<typeof SelfTest>

/** What is known of one camera. */
export const CameraWatching = z
  .object({
    camera_id: z.int().positive(),
    /** Empty when the agent gives it no name. */
    name: z.string(),
    is_primary: z.boolean(),
    /** Whether its pictures are looked at for failures. */
    detection_enabled: z.boolean(),
    /** Why this camera does not watch the print; null when it does, and for a camera that is not to. */
    not_watching_code: z.enum(NOT_WATCHING_CODES).nullable(),
    not_watching_reason: z.string().nullable(),
    last_frame_at: instant,
    last_analysed_at: instant,
    /** The score of the last analysed frame, 0 to 1. */
    last_score: z.number().nullable(),
    model: z.string().nullable(),
    /** Frames of the current print that were analysed. */
    frames_analysed: z.int(),
    self_test: SelfTest.nullable(),
  })
  .meta({ id: 'CameraWatching' })
export type CameraWatching = z.infer<typeof CameraWatching>

/** Proof of watching. Besides `is_watching` and `advice`, the fields are those of the camera that was analysed last. */
export const Watching = z
  .object({
    /** True only when a fresh picture of this print was analysed within the last 90 seconds, by a camera that can see. */
    is_watching: z.boolean(),
    /** What to do about it, when there is something to do. */
    advice: z.string().nullable(),
    last_frame_at: instant,
    last_analysed_at: instant,
    last_score: z.number().nullable(),
    model: z.string().nullable(),
    frames_analysed: z.int(),
    self_test: SelfTest.nullable(),
    cameras: z.array(CameraWatching),
  })
  .meta({ id: 'Watching' })
export type Watching = z.infer<typeof Watching>
