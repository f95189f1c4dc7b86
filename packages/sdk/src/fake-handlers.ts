import type { Endpoint, endpoints, User } from '@printwarden/protocol'
import type { z } from 'zod'
import type { FakeCall } from './fake-api.js'
import { FakeRefusal } from './fake-refusal.js'
import type { FakeViewer } from './fake-views.js'

type All = typeof endpoints

/** The name of an operation. */
export type OperationId = keyof All

/** What an endpoint does not take is there all the same, and empty. */
type Parsed<Schema> = Schema extends z.ZodUndefined
  ? Readonly<Record<string, unknown>>
  : Schema extends z.ZodType
    ? z.output<Schema>
    : never

/** A call with the types of one endpoint. */
export type CallOf<E> =
  E extends Endpoint<infer Params, infer Query, infer Body>
    ? Omit<FakeCall, 'params' | 'query' | 'body'> & {
        readonly params: Parsed<Params>
        readonly query: Parsed<Query>
        readonly body: Parsed<Body>
      }
    : never

type AnswerOf<E> = E extends Endpoint<z.ZodType, z.ZodType, z.ZodType, infer Output> ? z.input<Output> : never

/** What the fake does when an operation is called: answers with a body, or throws a {@link FakeRefusal}. */
export type Handler<Id extends OperationId> = (call: CallOf<All[Id]>) => AnswerOf<All[Id]> | Promise<AnswerOf<All[Id]>>

/** Some of the operations. */
export type Handlers = { readonly [Id in OperationId]?: Handler<Id> }

/** Who calls. */
export function callerOf({ user }: { readonly user: User | undefined }): User {
  if (user === undefined) throw new FakeRefusal('unauthorized')
  return user
}

export const viewerOf = ({ scopes }: Pick<FakeCall, 'scopes'>): FakeViewer => ({ canWrite: scopes.includes('write') })

/** What is there and is the caller's; else the one answer for both. */
export function visible<T extends { readonly userId: number }>(
  call: { readonly user: User | undefined },
  found: T | undefined,
): T {
  if (found === undefined || found.userId !== callerOf(call).id) throw new FakeRefusal('not_found')
  return found
}

type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> }

/** What was sent, without what was not. */
export function given<T extends object>(changes: T): Given<T> {
  const entries = Object.entries(changes).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Given<T>
}
