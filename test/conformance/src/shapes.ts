import { z } from 'zod'

// What the specification itself says of a resource: which fields there are, not more. The full shapes are the protocol package's.

const present = z.unknown().refine((value) => value !== undefined, 'is missing')

/** Printer of api.md §2. */
export const ContractPrinter = z.looseObject({
  id: z.number(),
  created_at: present,
  not_watching_reason: present,
  pic: present,
  status: z.looseObject({}).nullable(),
  settings: present,
  current_print: z.looseObject({ id: z.number() }).nullable(),
  normalized_p: present,
  auth_token: present,
})
export type ContractPrinter = z.infer<typeof ContractPrinter>

/** Print of api.md §2. */
export const ContractPrint = z.looseObject({
  id: z.number(),
  printer: present,
  filename: present,
  started_at: present,
  finished_at: present,
  cancelled_at: present,
  uploaded_at: present,
  alerted_at: present,
  alert_acknowledged_at: present,
  alert_muted_at: present,
  paused_at: present,
  video_url: present,
  tagged_video_url: present,
  poster_url: present,
  prediction_json_url: present,
  alert_overwrite: present,
})
export type ContractPrint = z.infer<typeof ContractPrint>

/** Action result of api.md §4.2. */
export const ContractActionResult = z.looseObject({ succeeded: z.boolean(), printer: ContractPrinter })

/** A stored G-code file: api.md leaves its fields open. */
export const ContractFile = z.looseObject({ id: z.number() })
export type ContractFile = z.infer<typeof ContractFile>

/** A folder of G-code files: api.md leaves its fields open. */
export const ContractFolder = z.looseObject({ id: z.number() })
export type ContractFolder = z.infer<typeof ContractFolder>

/** A chat with the assistant: api.md leaves its fields open. */
export const ContractChat = z.looseObject({ id: z.number() })
export type ContractChat = z.infer<typeof ContractChat>
