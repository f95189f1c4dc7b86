import { PrintShotAnswer } from '@printwarden/protocol'
import { z } from 'zod'

const Stored = z.object({ answer: PrintShotAnswer.nullable(), answered_at: z.iso.datetime().nullable() })

/** What a person said about a shot, as columns. */
export function readShot(record: string): { answer: PrintShotAnswer | null; answered_at: number | null } {
  const { answer, answered_at } = Stored.parse(JSON.parse(record))
  return { answer, answered_at: answered_at === null ? null : Date.parse(answered_at) }
}
