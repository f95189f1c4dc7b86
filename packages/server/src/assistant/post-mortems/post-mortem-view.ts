import { type PostMortem, PostMortemMoment } from '@printwarden/protocol'
import { z } from 'zod'
import { instantView } from '../../prints/view.js'
import type { PostMortemRow } from './post-mortem-store.js'

/** A moment as it is kept: its picture by key, since addresses run out. */
export const KeptMoment = PostMortemMoment.omit({ picture_url: true }).extend({ picture_key: z.string().nullable() })
export type KeptMoment = z.infer<typeof KeptMoment>

const Texts = z.array(z.string())
const Moments = z.array(KeptMoment)
const Certainty = z.enum(['likely', 'possible', 'unclear'])

/** The moments of a kept answer. */
export const keptMoments = ({ moments }: Pick<PostMortemRow, 'moments'>): KeptMoment[] =>
  Moments.parse(JSON.parse(moments))

/** What was answered about a print, as its user sees it. */
export function postMortemView(row: PostMortemRow, mediaUrl: (key: string) => string): PostMortem {
  return {
    print_id: row.print_id,
    cause: row.cause,
    certainty: Certainty.parse(row.certainty),
    answer: row.answer,
    advice: Texts.parse(JSON.parse(row.advice)),
    moments: keptMoments(row).map(({ picture_key, ...moment }) => ({
      ...moment,
      picture_url: picture_key === null ? null : mediaUrl(picture_key),
    })),
    missing: Texts.parse(JSON.parse(row.missing)),
    model: row.model,
    created_at: instantView(row.created_at),
  }
}
