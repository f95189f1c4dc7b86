import { z } from 'zod'
import { objectIn } from '../json-in.js'
import { checkedCitations } from './citations.js'
import { onItsLines, onOneLine } from './plain-words.js'

const MAX_CAUSE = 200
const MAX_ANSWER = 8_000
const MAX_ADVICE = 8
const MAX_ONE_ADVICE = 1_000

// A model's words are kept, and PostgreSQL keeps no NUL.
const text = z.string().transform(onItsLines).pipe(z.string().trim().min(1))
const textUpTo = (most: number) => text.pipe(z.string().max(most))

/** What a model that was asked why a print failed has to say. */
const Said = z.object({
  cause: text.transform((cause) => onOneLine(cause, MAX_CAUSE)),
  certainty: z.enum(['likely', 'possible', 'unclear']),
  answer: textUpTo(MAX_ANSWER),
  advice: z.array(textUpTo(MAX_ONE_ADVICE)).max(MAX_ADVICE).default([]),
})

/** What it said, with citations of moments that there are alone. */
export interface ModelVerdict extends z.infer<typeof Said> {
  /** The numbers that are cited. */
  readonly cited: ReadonlySet<number>
}

/** Reads a model's answer: the JSON object in it, whatever stands around. Undefined when there is none of that form. */
export function readVerdict(said: string, known: ReadonlySet<number>): ModelVerdict | undefined {
  const found = Said.safeParse(objectIn(said)).data
  if (found === undefined) return undefined
  const answer = checkedCitations(found.answer, known)
  const advice = found.advice.map((one) => checkedCitations(one, known))
  // Nothing but citations of what is not there.
  if (answer.text === '') return undefined
  return {
    cause: checkedCitations(found.cause, new Set()).text,
    certainty: found.certainty,
    answer: answer.text,
    advice: advice.map((one) => one.text).filter((one) => one !== ''),
    cited: new Set([answer, ...advice].flatMap(({ cited }) => cited)),
  }
}
