import { ProblemDetails } from '@printwarden/protocol'

// What a command says when the server refuses. Pure.

/** An answer that is no success. */
export interface Refusal {
  readonly status: number
  readonly retryAfter: string | null
  readonly text: string
}

/** One line: what is wrong, and what to do next. */
export function adviceOf({ status, retryAfter, text }: Refusal, tokenOption = '--token'): string {
  const problem = ProblemDetails.safeParse(parseJson(text)).data
  if (problem === undefined) return `the server answered ${status} and no reason; does --url name a Printwarden server?`
  const issues = (problem.issues ?? []).map(({ path, message }) => (path === '' ? message : `${path} ${message}`))
  const what = issues.length > 0 ? issues.join('; ') : lowerFirst(problem.detail).replace(/\.$/, '')
  return [what, nextStep(status, retryAfter, tokenOption)].filter((part) => part !== undefined).join('; ')
}

function nextStep(status: number, retryAfter: string | null, tokenOption: string): string | undefined {
  switch (status) {
    case 401:
      return `check PRINTWARDEN_ADMIN_EMAIL and PRINTWARDEN_ADMIN_PASSWORD, or ${tokenOption}`
    case 403:
      return "use an administrator's account, or a token of one with the scope write"
    case 429:
    case 503:
      return `try again in ${retryAfter ?? '60'} seconds`
    case 500:
      return "the server's log has the reason"
    default:
      return undefined
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
