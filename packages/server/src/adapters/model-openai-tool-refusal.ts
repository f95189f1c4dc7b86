import { APICallError } from 'ai'
import { z } from 'zod'

const TOOLS = String.raw`\b(?:tools?|tool_choice|tool[ _-]?(?:use|usage|choice|calls?|calling)|function[ _-]?(?:calls?|calling))\b`

/** As servers say that a model takes no tools. The word alone is not enough: servers quote the question that they refuse. */
const REFUSED = new RegExp(
  [
    // "… does not support tools", "No endpoints found that support tool use"
    String.raw`\b(?:not|no\b[^.?!]{0,60}|\w+n['’]t) support (?:\w+ ){0,3}${TOOLS}`,
    // "tool calling is not supported", "Function calling is not enabled", "body tools Extra inputs are not permitted"
    String.raw`${TOOLS}[^.?!]{0,60}(?:\bnot|n['’]t) (?:been )?(?:supported|enabled|permitted|allowed|available)\b`,
    // "tool choice requires --enable-auto-tool-choice"
    String.raw`${TOOLS}[^.?!]{0,30} requires? --`,
    // "Unrecognized request argument supplied: tools"
    String.raw`\b(?:unsupported|unrecognized|unknown|unexpected)\b[^.?!]{0,30}\b(?:param|arg|field|key|propert)\w*[^.?!]{0,20}${TOOLS}`,
  ].join('|'),
  'i',
)

/** As llama.cpp says it, under the status of a failure: without `--jinja`, and in versions that knew no tools. */
const REFUSED_AS_FAILURE = /\btool(?:s|_choice) param requires --jinja|\bunsupported param: tool/i

const REFUSALS: readonly (number | undefined)[] = [400, 404, 422, 501]
/** What a server says of its own comes first; what it quotes comes after it. */
const MAX_SAID = 300

/** The forms in which servers say what is wrong: OpenAI's, the bare one of vLLM and Ollama, and FastAPI's. */
const ErrorBody = z.union([
  z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
  z.object({ error: z.string() }).transform(({ error }) => error),
  z.object({ message: z.string() }).transform(({ message }) => message),
  z.object({ detail: z.string() }).transform(({ detail }) => detail),
  z
    .object({ detail: z.array(z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string() })) })
    .transform(({ detail }) => detail.map(({ loc, msg }) => `${loc.join(' ')} ${msg}`).join('. ')),
])

/** Whether the model would have answered without tools. */
export function refusesTools(error: unknown): boolean {
  if (!APICallError.isInstance(error)) return false
  const said = saidIn(error.responseBody ?? '').slice(0, MAX_SAID)
  if (error.statusCode === 500) return REFUSED_AS_FAILURE.test(said)
  return REFUSALS.includes(error.statusCode) && soundsLikeRefusal(said)
}

/** Whether a text would be taken for a refusal of tools, were a server to say it. */
export const soundsLikeRefusal = (text: string): boolean => REFUSED.test(text)

/** A refusal of tools as an error that is not tried again, whatever its status; any other error as it is. */
export function finalIfRefused(error: unknown): unknown {
  if (!APICallError.isInstance(error) || !refusesTools(error)) return error
  const { message, url, requestBodyValues, statusCode, responseHeaders, responseBody, cause } = error
  return new APICallError({
    ...{ message, url, requestBodyValues, cause, isRetryable: false },
    ...(statusCode === undefined ? {} : { statusCode }),
    ...(responseHeaders === undefined ? {} : { responseHeaders }),
    ...(responseBody === undefined ? {} : { responseBody }),
  })
}

function saidIn(body: string): string {
  try {
    const known = ErrorBody.safeParse(JSON.parse(body))
    return known.success ? known.data : ''
  } catch {
    return body
  }
}
