import type { z } from 'zod'
import type { ApiErrorCode } from './errors.js'

/**
 * Who may call an endpoint. `read` and `write` are scopes of a user's token (a session has both); `session` is a signed-in
 * browser alone; `admin` is an administrator with `write`; `agent` is a printer's `auth_token`; `read_or_agent` is either, reading as
 * the user or as the printer's owner; `anyone` needs no credential.
 */
export type Access = 'read' | 'write' | 'session' | 'admin' | 'agent' | 'read_or_agent' | 'anyone'

/** One part of a multipart body. */
export interface MultipartField {
  readonly name: string
  readonly kind: 'file' | 'text'
  readonly required: boolean
  readonly description: string
  /** What the text must look like, for the documentation: the handler checks it. */
  readonly schema?: z.ZodType
}

/** A header of success that a client may build on. `last-modified` and `etag` mean that 304 is answered to who has this version. */
export type SuccessHeader = 'x-total-count' | 'link' | 'last-modified' | 'etag' | 'content-disposition'

/** What a call may look like, in the documentation: each part as it travels (a query's values are what they stand for). */
export interface EndpointExample {
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly output?: unknown
}

/** An endpoint as plain data: routes, OpenAPI document, SDK types and conformance checks all come from it. */
export interface Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> {
  /** Name of the operation, camelCase and unique; the SDK's method has the same name. */
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** With `:name` for parameters and a slash at the end; the form without it works too. */
  readonly path: `/${string}/`
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly access: Access
  readonly params?: Params
  readonly query?: Query
  /** The JSON body. */
  readonly body?: Body
  /** The parts of a multipart body. Beside `body`, either is accepted; the handler reads the form then, and `body` is undefined. */
  readonly multipart?: readonly MultipartField[]
  /** Content types of which the body itself may be the one file of `multipart`; the handler reads it. */
  readonly rawTypes?: readonly string[]
  /** The largest JSON body in bytes, where it may be another than the server's own limit of 1 MiB. */
  readonly maxBodyBytes?: number
  /** The status of success; 200 unless stated. */
  readonly status?: 200 | 201
  /**
   * Another status of success with the same output, which the handler may set: 201 says that something was made, 202 that the matter
   * is still under way.
   */
  readonly otherStatus?: 201 | 202
  /** The body of success; absent means an empty body. */
  readonly output?: Output
  /** What can go wrong besides what follows from access, parameters and body. */
  readonly errors?: readonly ApiErrorCode[]
  /** Whether errors are told as plain text to clients that show them as they are. */
  readonly textErrors?: boolean
  /** Headers of success besides those that follow from being a list. */
  readonly headers?: readonly SuccessHeader[]
  /** Parts of the documentation's example, where the one that is made from the schemas says too little. */
  readonly example?: EndpointExample
}

/** Whether an endpoint answers with a list of things, which carries `X-Total-Count` and, when it comes in pages, `Link`. */
export function isList({ method, path, output }: Endpoint): boolean {
  return method === 'GET' && output?.type === 'array' && !path.includes(':')
}

/** Declares an endpoint, keeping the types of its schemas. */
export function defineEndpoint<
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Output extends z.ZodType = z.ZodVoid,
>(endpoint: Endpoint<Params, Query, Body, Output>): Endpoint<Params, Query, Body, Output> {
  return endpoint
}
