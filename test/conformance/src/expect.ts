import assert from 'node:assert/strict'
import { ProblemDetails, type ApiErrorCode } from '#protocol'
import { z } from 'zod'
import type { Answer } from './http.js'

const SHOWN_CHARACTERS = 300

/** A short view of a value, for messages. */
export function show(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}

/** `actual` must be `expected`, compared by value. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  try {
    assert.deepEqual(actual, expected)
  } catch {
    assert.fail(`${what} is ${show(actual)}, not ${show(expected)}`)
  }
}

/** The same ids, in any order. */
export function expectSameIds(actual: readonly number[], expected: readonly number[], what: string): void {
  const inOrder = (ids: readonly number[]): number[] => ids.toSorted((a, b) => a - b)
  expectEqual(inOrder(actual), inOrder(expected), what)
}

/** `condition` must hold; `otherwise` says what was seen instead. */
export function expectTrue(condition: boolean, otherwise: string): asserts condition {
  assert.ok(condition, otherwise)
}

export function expectStatus(answer: Answer, status: number): void {
  assert.ok(
    answer.status === status,
    `${answer.request} answered ${answer.status}, not ${status}: ${show(answer.text)}`,
  )
}

/** The body as JSON of the given shape. */
export function expectBody<T extends z.ZodType>(answer: Answer, schema: T, status = 200): z.infer<T> {
  expectStatus(answer, status)
  const result = schema.safeParse(parseJson(answer))
  if (!result.success) assert.fail(`${answer.request}: ${z.prettifyError(result.error)}`)
  return result.data
}

/** An error in the form of decision 3. */
export function expectProblem(answer: Answer, status: number, code: ApiErrorCode): ProblemDetails {
  const problem = expectBody(answer, ProblemDetails, status)
  const type = answer.headers.get('content-type') ?? 'none'
  assert.match(type, /^application\/problem\+json\b/, `${answer.request}: the content type is ${type}`)
  expectEqual(problem.status, status, `${answer.request}: "status"`)
  expectEqual(problem.code, code, `${answer.request}: "code"`)
  return problem
}

/** The header must be there. */
export function expectHeader(answer: Answer, name: string): string {
  const value = answer.headers.get(name)
  if (value === null) assert.fail(`${answer.request}: there is no ${name} header`)
  return value
}

function parseJson({ request, text }: Answer): unknown {
  try {
    return JSON.parse(text)
  } catch {
    assert.fail(`${request}: the body is not JSON: ${show(text)}`)
  }
}
