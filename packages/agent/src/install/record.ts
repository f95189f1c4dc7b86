import { z } from 'zod'

/** What installing has changed, kept so that all of it can be taken back. The newest change is the last. */
export const InstallRecord = z.object({
  version: z.literal(1),
  isRoot: z.boolean(),
  changes: z.array(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('folder'), path: z.string() }),
      z.object({ type: z.literal('program'), path: z.string() }),
      /** `before` is the text that stood there; null when there was no such file. */
      z.object({ type: z.literal('file'), path: z.string(), before: z.string().nullable() }),
      z.object({ type: z.literal('append'), path: z.string(), text: z.string() }),
    ]),
  ),
})
export type InstallRecord = z.infer<typeof InstallRecord>
export type Change = InstallRecord['changes'][number]

/** The record with one more change. What was there before the first installing is what counts, so that stays. */
export function withChange(record: InstallRecord, change: Change): InstallRecord {
  const isKnown = record.changes.some(
    (one) => one.type === change.type && one.path === change.path && change.type !== 'append',
  )
  return isKnown ? record : { ...record, changes: [...record.changes, change] }
}
