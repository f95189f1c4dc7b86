// What the live store keeps of each printer, and for how long. Losing it is harmless: agents report again within seconds.

/** The last `status` section of the agent, verbatim: `PrinterStatus`. */
export const statusKey = (printerId: number): string => `status:${printerId}`

/** The newest picture: `LivePic`. */
export const picKey = (printerId: number): string => `pic:${printerId}`

/** The newest picture of a camera that is not the primary one: `LivePic`. */
export const cameraPicKey = (cameraId: number): string => `camera-pic:${cameraId}`

/** The running detection state of the printer's primary camera: `detection/smoothing/smoothing.ts`. */
export const smoothingKey = (printerId: number): string => `smoothing:${printerId}`

/** The running detection state of a camera that is not the primary one. */
export const cameraSmoothingKey = (cameraId: number): string => `camera-smoothing:${cameraId}`

/** The printer's failure gauge, the worst of its cameras: `detection/gauge.ts`. */
export const gaugeKey = (printerId: number): string => `gauge:${printerId}`

/** What is known of the printer's cameras: `printers/watch-state.ts`. */
export const watchKey = (printerId: number): string => `watch:${printerId}`

/** There while the printer's agent may be on its way from one node to another: `true`. */
export const movingKey = (printerId: number): string => `moving:${printerId}`

/** Without a status for this long a printer counts as offline (decision 19). */
export const STATUS_TTL_MS = 120_000

/** A picture older than this is no longer shown (wire facts, section 1.4). */
export const PIC_TTL_MS = 30 * 60_000

/** Detection state outlives a night; the printer's row has a checkpoint of it. */
export const SMOOTHING_TTL_MS = 7 * 24 * 3_600_000

/** The newest picture of a printer as the live store keeps it. */
export interface LivePic {
  /** Blob key of the picture to show: the tagged one once detection has found something in it. */
  readonly key: string
  readonly raw_key: string
  /** When it was taken, in Unix seconds. */
  readonly ts: number
}
