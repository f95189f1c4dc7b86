import type { CameraLearned } from '@printwarden/sdk'

const hours = (value: number): string => (value === 1 ? '1 hour' : `${Math.round(value * 10) / 10} hours`)

/** How much the usual scores rest on. */
export function baselineWords({ hours: learned, pending_hours }: CameraLearned['baseline']): string {
  const waiting =
    pending_hours > 0 ? ` ${hours(pending_hours)} more count once nothing has gone wrong for a while.` : ''
  return learned === 0 ? `Nothing yet.${waiting}` : `Learned from ${hours(learned)} of good frames.${waiting}`
}

/** How many answers are known of a camera. */
export function answersWords({ failures, not_failures }: CameraLearned['prototypes']): string {
  if (failures + not_failures === 0) return 'None yet.'
  return `${failures} said to be a failure, ${not_failures} a false alarm.`
}

const UNUSED: Record<NonNullable<CameraLearned['clean_bed']['unused']>, string> = {
  nothing_learned: 'Nothing is known of it yet.',
  no_reference: 'It is of another print, and waits for the next one to begin.',
  too_dark: 'Not used now: the picture is too dark.',
  camera_moved: 'Not used now: the camera has moved since.',
  scene_changed: 'Not used now: the picture has changed too much since.',
  not_supported: 'This detector does not say where it found what.',
}

/** Why the bed before the print does not count now; undefined when it does. */
export function unusedWords(unused: CameraLearned['clean_bed']['unused']): string | undefined {
  return unused === null ? undefined : UNUSED[unused]
}
