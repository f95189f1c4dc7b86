import type { ConformanceTarget } from '@printwarden/protocol'

/** A request on its way to the server. A mutation may change it. */
export interface Request {
  method: string
  /** Without the query, with a slash at the end. */
  readonly path: string
  /** As it was asked for. */
  url: string
  headers: Record<string, string>
  body: Buffer
  readonly query: URLSearchParams
}

/** An answer on its way back. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: Buffer
}

/** What a mutation knows: the target as the kit has it, and the server itself, without the mutation. */
export interface World {
  readonly target: ConformanceTarget
  readonly ask: (method: string, url: string, headers?: Record<string, string>, body?: string) => Promise<Answer>
}

/** Which websocket a frame belongs to. */
export interface Line {
  readonly kind: 'agent' | 'live'
  /** Counts connections. */
  readonly number: number
}

/** How a connection goes on after a frame: with this text, without it, or closed with a code. */
export type Frame = string | undefined | { readonly closeWith: number }

/** Where a mutation takes hold. What is absent is passed on as it is. */
export interface Hooks {
  readonly request?: (request: Request, world: World) => void | Answer | Promise<void | Answer>
  readonly answer?: (answer: Answer, request: Request, world: World) => void | Promise<void>
  /** Changes the headers of an upgrade, before the server sees them. */
  readonly upgrade?: (request: Request, world: World) => void | Promise<void>
  /** The status of a refused upgrade. */
  readonly refusal?: (status: number) => number
  /** The subprotocol that the server chose. */
  readonly subprotocol?: (name: string) => string
  readonly toServer?: (text: string, line: Line) => Frame
  readonly toClient?: (text: string, line: Line) => Frame
  /** The code with which the server closes; undefined leaves the connection open. */
  readonly close?: (code: number, line: Line) => number | undefined
}

/** One rule that is broken. */
export interface Mutation {
  readonly id: string
  /** What the broken server does. */
  readonly breaks: string
  /** Cases that may catch it; at least one must. */
  readonly cases: readonly string[]
  /** Made anew for each run, so that nothing is remembered from the one before. */
  readonly hooks: () => Hooks
}

/** Any JSON object; mutations reach into answers of every kind. */
export type Json = Record<string, unknown>

/** Changes a JSON body in place or gives another; what is no JSON stays. */
export function editJson(answer: { body: Buffer }, edit: (value: unknown) => unknown): void {
  try {
    const before: unknown = JSON.parse(answer.body.toString())
    const after = edit(before)
    answer.body = Buffer.from(JSON.stringify(after === undefined ? before : after))
  } catch {
    // Not JSON, so not the body that this mutation is about.
  }
}

/** A frame with its JSON changed. */
export function editFrame(text: string, edit: (frame: Json) => void): string {
  try {
    const frame = JSON.parse(text) as Json
    if (typeof frame !== 'object' || frame === null || Array.isArray(frame)) return text
    edit(frame)
    return JSON.stringify(frame)
  } catch {
    return text
  }
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Every object in a JSON value, from the outside in. */
export function* objectsIn(value: unknown): Generator<Json> {
  if (Array.isArray(value)) for (const item of value) yield* objectsIn(item)
  if (!isObject(value)) return
  yield value
  for (const child of Object.values(value)) yield* objectsIn(child)
}

export const emptyAnswer = (status: number): Answer => ({
  status,
  headers: { 'content-length': '0' },
  body: Buffer.alloc(0),
})

export const problem = (status: number, code: string): Answer => ({
  status,
  headers: { 'content-type': 'application/problem+json' },
  body: Buffer.from(JSON.stringify({ status, code, title: code, detail: code })),
})

/** Replaces a token in either header. */
export function swapToken(request: Request, from: string, to: string): void {
  if (request.headers['authorization'] === `Bearer ${from}`) request.headers['authorization'] = `Bearer ${to}`
  if (request.headers['x-api-key'] === from) request.headers['x-api-key'] = to
}
