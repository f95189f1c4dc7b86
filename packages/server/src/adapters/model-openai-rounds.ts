import type { ModelMessage } from 'ai'
import {
  MAX_TOOL_CALLS,
  MAX_TOOL_ROUNDS,
  type ModelAnswer,
  ModelError,
  type ModelQuestion,
} from '../assistant/model.js'
import type { Round, RoundCall } from './model-openai-stream.js'

/** Asks once. `none` names the tools and forbids them: some servers refuse a conversation with calls in it that names none. */
export type AskRound = (
  messages: ModelMessage[],
  system: string,
  choice: 'auto' | 'none' | 'no tools',
  onText: (text: string) => void,
) => Promise<Round>

/** What answered a call has failed: no error of the model's. `cause` says how. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure'
}

const NO_SUCH_TOOL = JSON.stringify({ error: 'There is no tool of this name, or its input has another form.' })
const LAST_ROUND = 'There are no more calls in this answer: answer now, with what you have.'

type Asked = Pick<ModelQuestion, 'system' | 'onCall' | 'onText'>

/** Asks, answers what the model calls for, and asks again, within the limits of the port. @throws {CallFailure} and what `ask` throws */
export async function answerInRounds(
  ask: AskRound,
  turns: readonly ModelMessage[],
  { system, onCall, onText }: Asked,
  hasTools: boolean,
): Promise<ModelAnswer> {
  const messages = [...turns]
  let text = ''
  let made = 0
  for (let round = 0; ; round += 1) {
    const isLast = onCall === undefined || !hasTools || round === MAX_TOOL_ROUNDS || made === MAX_TOOL_CALLS
    const before = text.trim() === '' ? '' : `${text.trimEnd()}\n\n`
    let isBegun = false
    const said = await ask(messages, system, choiceOf(hasTools, isLast && onCall !== undefined), (piece) => {
      // What was said before the calls and what is said after them are paragraphs of one text.
      if (!isBegun && before !== '') onText?.('\n\n')
      isBegun = true
      onText?.(piece)
    })
    text = said.text.trim() === '' ? text : before + said.text
    const wishes = said.calls.filter(({ isValid }) => isValid)
    if (isLast || said.calls.length === 0) {
      const calls = onCall === undefined ? wishes.map(({ name, input }) => ({ name, input })) : []
      if (text.trim() === '' && calls.length === 0) throw new ModelError('malformed', 'The model said nothing.')
      return { text, calls }
    }
    const answered = said.calls.slice(0, MAX_TOOL_CALLS - made)
    const isEnd = round + 1 === MAX_TOOL_ROUNDS || made + answered.length === MAX_TOOL_CALLS
    messages.push(...(await exchange(said.text, answered, made, onCall, isEnd)))
    made += answered.length
  }
}

const choiceOf = (hasTools: boolean, isForbidden: boolean): 'auto' | 'none' | 'no tools' =>
  !hasTools ? 'no tools' : isForbidden ? 'none' : 'auto'

/** The model's calls and what they are answered, one after another, as two turns of the conversation. */
async function exchange(
  text: string,
  calls: readonly RoundCall[],
  firstNumber: number,
  onCall: NonNullable<ModelQuestion['onCall']>,
  isEnd: boolean,
): Promise<ModelMessage[]> {
  const results = []
  for (const [index, { name, input, isValid }] of calls.entries()) {
    const value = isValid ? await answerOf({ name, input }, onCall) : NO_SUCH_TOOL
    const output = {
      type: 'text' as const,
      value: isEnd && index === calls.length - 1 ? `${value}\n${LAST_ROUND}` : value,
    }
    results.push({ type: 'tool-result' as const, toolCallId: idOf(firstNumber + index), toolName: name, output })
  }
  const made = calls.map(({ name, input }, index) => {
    return { type: 'tool-call' as const, toolCallId: idOf(firstNumber + index), toolName: name, input }
  })
  const before = text.trim() === '' ? [] : [{ type: 'text' as const, text }]
  return [
    { role: 'assistant', content: [...before, ...made] },
    { role: 'tool', content: results },
  ]
}

/** Ours: servers are known to give the same id twice, or none. Mistral's take nine letters and digits, and nothing else. */
const idOf = (number: number): string => `call${String(number).padStart(5, '0')}`

async function answerOf(
  call: { readonly name: string; readonly input: unknown },
  onCall: NonNullable<ModelQuestion['onCall']>,
): Promise<string> {
  try {
    return await onCall(call)
  } catch (cause) {
    throw new CallFailure('a call could not be answered', { cause })
  }
}
