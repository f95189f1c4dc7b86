import { z } from 'zod'

/** What each camera of a printer shows: plain JSON in the live store. The printer's gauge is that of its worst camera. */
export const Gauge = z.object({
  normalized_p: z.number(),
  /** By camera: its value, and when its frame was taken, in milliseconds. */
  cameras: z.record(z.string(), z.object({ normalized_p: z.number(), at: z.number() })),
})
export type Gauge = z.infer<typeof Gauge>

/** The primary camera's name in the gauge; the others have their ids. */
export const PRIMARY = 0

/** A camera that has shown nothing for this long says nothing about the print any more. */
const FADES_AFTER_MS = 10 * 60_000

export function readGauge(kept: unknown): Gauge {
  return Gauge.safeParse(kept).data ?? { normalized_p: 0, cameras: {} }
}

/** The gauge once `camera` shows `value`; null takes the camera out of it. */
export function withCamera(gauge: Gauge, camera: number, value: number | null, at: number): Gauge {
  const others = Object.entries(gauge.cameras).filter(
    ([key, shown]) => key !== String(camera) && at - shown.at < FADES_AFTER_MS,
  )
  const cameras = Object.fromEntries(others)
  if (value !== null) cameras[String(camera)] = { normalized_p: value, at }
  return { normalized_p: Math.max(0, ...Object.values(cameras).map((shown) => shown.normalized_p)), cameras }
}
