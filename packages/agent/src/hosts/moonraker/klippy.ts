import { z } from 'zod'
import type { Objects } from './objects.js'

/** Klippy is the part of Klipper that runs on the host; Moonraker stands in front of it. */
export type KlippyState = 'ready' | 'startup' | 'shutdown' | 'error' | 'disconnected'

/** A Klippy that is not ready, and why. */
export interface KlippyDown {
  readonly klippy: Exclude<KlippyState, 'ready'>
  readonly reason: string
}

const REASONS: Record<KlippyDown['klippy'], string> = {
  startup: 'Klipper is starting',
  shutdown: 'Klipper has shut down',
  error: 'Klipper has an error',
  disconnected: 'Klipper is not running',
}

/** The state by its name; undefined for what is none. */
export function readKlippyState(name: string): KlippyState | undefined {
  return name === 'ready' || Object.hasOwn(REASONS, name) ? (name as KlippyState) : undefined
}

/** The reason is the first line of what Klippy says; the others tell everybody to restart. */
export function klippyDown(klippy: KlippyDown['klippy'], message?: string): KlippyDown {
  const line = message?.split('\n').find((part) => part.trim() !== '')
  return { klippy, reason: line?.trim() || REASONS[klippy] }
}

const Webhooks = z.object({ state: z.string(), state_message: z.string().catch('') })

/** What the object `webhooks` says when Klippy is no longer ready; undefined while it is. */
export function downOf(objects: Objects): KlippyDown | undefined {
  const hooks = Webhooks.safeParse(objects['webhooks']).data
  if (!hooks || hooks.state === 'ready') return undefined
  const state = readKlippyState(hooks.state) ?? 'error'
  return klippyDown(state === 'ready' ? 'error' : state, hooks.state_message)
}
