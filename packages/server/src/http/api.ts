import type { Endpoint, Scope } from '@printwarden/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'

/** Who calls on behalf of a user. A session has both scopes. */
export interface Caller {
  readonly user_id: number
  readonly email: string
  readonly is_admin: boolean
  readonly scopes: readonly Scope[]
  /** How it got in: by a browser session or by an access token. */
  readonly via:
    | { readonly type: 'session'; readonly session_id: number }
    | { readonly type: 'token'; readonly token_id: number }
}

/** An agent, let in by its printer's auth_token. */
export interface AgentCaller {
  readonly printer_id: number
  readonly user_id: number
}

/** Whose things are read: a user's, or those of an agent's owner. */
export type Reader = Pick<Caller, 'user_id'>

/** What a handler may need besides its input. */
export interface Exchange {
  /** The origin that the client used, without a slash at the end: media URLs are built from it. */
  readonly origin: string
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

/** A handler's input, parsed by the endpoint's schemas. */
export interface Input<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  readonly params: Parsed<P>
  readonly query: Parsed<Q>
  readonly body: Parsed<B>
}

type Handler<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType, Who> = (
  input: Input<P, Q, B>,
  who: Who,
  exchange: Exchange,
) => Promise<z.input<O>>

/**
 * Where features register their endpoints. Each call goes: authenticate (401) → scope (403) → parse parameters (404), query and
 * body (400) → handler (404 for what is not the caller's) → answer by the endpoint's output schema.
 */
export interface Api {
  /** For endpoints with access read, write, session or admin. */
  handle<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
    endpoint: Endpoint<P, Q, B, O>,
    handler: Handler<P, Q, B, O, Caller>,
  ): void
  /** For endpoints with access agent. */
  handleAgent<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
    endpoint: Endpoint<P, Q, B, O>,
    handler: Handler<P, Q, B, O, AgentCaller>,
  ): void
  /** For endpoints with access read_or_agent. */
  handleReader<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
    endpoint: Endpoint<P, Q, B, O>,
    handler: Handler<P, Q, B, O, Reader>,
  ): void
  /** For endpoints with access anyone. */
  handleOpen<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, O extends z.ZodType>(
    endpoint: Endpoint<P, Q, B, O>,
    handler: Handler<P, Q, B, O, undefined>,
  ): void
}
