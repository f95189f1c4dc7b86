/** Longer values are refused; no honest client needs them. */
const MAX_LENGTH = 2000
const MAX_LENGTHS: Readonly<Record<string, number>> = { state: 4000 }

/** A state may be any text; everything else is plain ASCII (RFC 6749, appendix A). */
const ASCII = /^[\x20-\x7e]*$/
const NO_CONTROLS = /^\P{Cc}*$/u

/** The parameters of an OAuth request. */
export interface OAuthParameters {
  /** A parameter that was sent once and is well formed; an empty one counts as absent (RFC 6749, section 3.1). */
  get(name: string): string | undefined
  /** What is wrong with this parameter, or with any when no name is given. */
  problem(name?: string): string | undefined
  /** All of them that are well formed. */
  readonly entries: readonly (readonly [string, string])[]
}

/** Reads a parsed query or form. Whatever it is that was sent, no value comes out that is not one plain text. */
export function readParameters(source: unknown): OAuthParameters {
  const given = typeof source === 'object' && source !== null ? Object.entries(source) : []
  const values = new Map<string, string>()
  const problems = new Map<string, string>()
  for (const [name, value] of given) {
    const problem = problemOf(name, value)
    if (problem !== undefined) problems.set(name, problem)
    else if (typeof value === 'string' && value !== '') values.set(name, value)
  }
  return {
    get: (name) => values.get(name),
    problem: (name) => (name === undefined ? [...problems.values()][0] : problems.get(name)),
    entries: [...values],
  }
}

function problemOf(name: string, value: unknown): string | undefined {
  const shown = name.replaceAll(/[^\w.-]/g, '').slice(0, 40)
  if (typeof value !== 'string') return `${shown} was sent more than once`
  if (value.length > (MAX_LENGTHS[name] ?? MAX_LENGTH)) return `${shown} is too long`
  const allowed = name === 'state' ? NO_CONTROLS : ASCII
  return allowed.test(value) ? undefined : `${shown} holds characters that are not allowed`
}
