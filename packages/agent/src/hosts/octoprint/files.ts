import type { PrinterFile } from '@printwarden/protocol'
import { z } from 'zod'

const File = z.object({
  type: z.literal('machinecode'),
  path: z.string(),
  origin: z.enum(['local', 'sdcard']),
  size: z.number().nonnegative().nullish().catch(undefined),
  date: z.number().nonnegative().nullish().catch(undefined),
})
const Folder = z.object({ type: z.literal('folder'), children: z.array(z.unknown()) })
const MOST_LEVELS = 32

/** The files of G-code in a tree of folders, as OctoPrint tells it. What is neither file nor folder is left out. */
export function filesOf(entries: unknown, levels: number = MOST_LEVELS): PrinterFile[] {
  if (!Array.isArray(entries) || levels === 0) return []
  return entries.flatMap((entry: unknown): PrinterFile[] => {
    const file = File.safeParse(entry).data
    if (file) return [{ path: file.path, origin: file.origin, size: file.size ?? null, date: file.date ?? null }]
    return filesOf(Folder.safeParse(entry).data?.children, levels - 1)
  })
}
