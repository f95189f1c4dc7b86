import { z } from 'zod'
import { KEY_FRAME_REASONS, type QuotaFrame } from './frame-quota.js'
import { restoreMoment, storeMoment, type Now } from '../time/stored-time.js'

/** A picture that is kept on disk until the server is back. Its `id` names it to the server. */
export interface KeptFrame extends QuotaFrame {
  /** Rises with each picture: the order in which they were kept, whatever the clocks say. */
  readonly seq: number
  readonly label: string
}

const Header = z.object({
  version: z.literal(1),
  id: z.uuid(),
  seq: z.number().int(),
  print_ts: z.number(),
  reason: z.enum(KEY_FRAME_REASONS),
  label: z.string(),
  num_bytes: z.number().int().positive(),
  at_wall_ms: z.number(),
  at_boot_ms: z.number(),
  boot_id: z.string().optional(),
})

/** No header is longer. */
export const MAX_HEADER_BYTES = 4096

/** What stands before the picture in its file: one line of JSON. */
export function frameHeader(frame: KeptFrame, now: Now): string {
  const { id, seq, printTs, reason, label, numBytes, atMs } = frame
  const { wall_ms, boot_ms } = storeMoment(atMs, now)
  const header: z.infer<typeof Header> = {
    ...{ version: 1, id, seq, print_ts: printTs, reason, label, num_bytes: numBytes },
    ...{ at_wall_ms: wall_ms, at_boot_ms: boot_ms },
    ...(now.bootId === undefined ? {} : { boot_id: now.bootId }),
  }
  return `${JSON.stringify(header)}\n`
}

/**
 * Reads the start of a file. The picture begins at `offset` and must end with the file.
 *
 * @returns undefined when it is no whole kept picture
 */
export function readFrameHeader(
  start: Buffer,
  fileBytes: number,
  now: Now,
): { frame: KeptFrame; offset: number } | undefined {
  const end = start.indexOf(0x0a)
  if (end < 0) return undefined
  const header = Header.safeParse(parseJson(start.subarray(0, end).toString('utf8'))).data
  if (!header || end + 1 + header.num_bytes !== fileBytes) return undefined
  const { id, seq, print_ts, reason, label, num_bytes, at_wall_ms, at_boot_ms, boot_id } = header
  const atMs = restoreMoment({ wallMs: at_wall_ms, bootMs: at_boot_ms, bootId: boot_id }, now)
  return { frame: { id, seq, printTs: print_ts, reason, label, numBytes: num_bytes, atMs }, offset: end + 1 }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
