import type { PrinterFile } from '@printwarden/protocol'
import { z } from 'zod'
import { readKlippyState, type KlippyState } from './klippy.js'

const Answer = z.object({ id: z.number(), result: z.unknown() })
const Failure = z.object({
  id: z.number(),
  error: z.object({ code: z.number().catch(0), message: z.string().catch('') }),
})
const Notice = z.object({ method: z.string(), params: z.array(z.unknown()).default([]).catch([]) })

/** One JSON-RPC message of Moonraker. */
export type Message =
  | { readonly type: 'answer'; readonly id: number; readonly result: unknown }
  | { readonly type: 'failure'; readonly id: number; readonly code: number; readonly message: string }
  | { readonly type: 'notice'; readonly method: string; readonly params: readonly unknown[] }
  | { readonly type: 'other' }

/** Reads one message. What we do not know or cannot read is `other`; it never throws. */
export function readMessage(text: string): Message {
  const value = parseJson(text)
  const notice = Notice.safeParse(value).data
  if (notice) return { type: 'notice', ...notice }
  const failure = Failure.safeParse(value).data
  if (failure) return { type: 'failure', id: failure.id, ...failure.error }
  const answer = Answer.safeParse(value).data
  return answer ? { type: 'answer', id: answer.id, result: answer.result } : { type: 'other' }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const ServerInfo = z.object({ klippy_state: z.string() })

/** `klippy_state` of the answer to `server.info`; undefined when the answer is not Moonraker's. */
export function readServerInfo(result: unknown): KlippyState | undefined {
  const info = ServerInfo.safeParse(result).data
  return info && (readKlippyState(info.klippy_state) ?? 'error')
}

/** `state_message` of the answer to `printer.info`. */
export function readStateMessage(result: unknown): string | undefined {
  return z.object({ state_message: z.string() }).safeParse(result).data?.state_message
}

const Objects = z.object({ objects: z.array(z.string()) })

/** The names of all objects that this printer has, from the answer to `printer.objects.list`. */
export function readObjectList(result: unknown): string[] {
  return Objects.safeParse(result).data?.objects ?? []
}

const Jobs = z.object({
  jobs: z.array(z.object({ filename: z.string(), status: z.string() })).default([]),
})

/** The newest job of the answer to `server.history.list`. */
export function readLastJob(result: unknown): { readonly filename: string; readonly status: string } | undefined {
  return Jobs.safeParse(result).data?.jobs[0]
}

const Files = z.array(
  z.object({
    path: z.string(),
    modified: z.number().nonnegative().nullish().catch(undefined),
    size: z.number().nonnegative().nullish().catch(undefined),
  }),
)

/** The G-code files of the answer to `server.files.list`. */
export function readFiles(result: unknown): PrinterFile[] {
  const files = Files.safeParse(result).data ?? []
  return files.map(({ path, modified, size }) => ({
    path,
    origin: 'local',
    size: size ?? null,
    date: modified ?? null,
  }))
}
