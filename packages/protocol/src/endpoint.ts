import type { z } from 'zod'
import type { ApiErrorCode } from './errors.js'

/**
 * Who may call an endpoint. `read` and `write` are scopes of a user's token (a session has both); `session` is a signed-in
 * browser alone; `admin` is an administrator with `write`; `agent` is a printer's `auth_token`; `anyone` needs no credential.
 */
export type Access = 'read' | 'write' | 'session' | 'admin' | 'agent' | 'anyone'

/** One part of a multipart body. */
export interface MultipartField {
  readonly name: string
  readonly kind: 'file' | 'text'
  readonly required: boolean
  readonly description: string
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
  /** The parts of a multipart body, when it is not JSON. */
  readonly multipart?: readonly MultipartField[]
  /** The status of success; 200 unless stated. */
  readonly status?: 200 | 201
  /** The body of success; absent means an empty body. */
  readonly output?: Output
  /** What can go wrong besides what follows from access, parameters and body. */
  readonly errors?: readonly ApiErrorCode[]
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
