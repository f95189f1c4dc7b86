import type { AssistantStatus } from '@printwarden/protocol'
import { z } from 'zod'

// What `doctor` says about each probe of a running server. Pure.

/** One thing that was looked at; `advice` says how to mend it. */
export interface Finding {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
  readonly advice?: string
}

interface Probe {
  readonly status: number
  readonly text: string
}

/** How to mend each part that a server may report as not ready. */
const ADVICE: Readonly<Record<string, string>> = {
  database: 'look whether the disk of PRINTWARDEN_DATA_DIR is full or read-only, then restart the server',
  blobs:
    'let the server write in PRINTWARDEN_DATA_DIR/blobs, and look whether the disk is full; of a bucket the log of the server says what is wrong',
  detector: "wait until the model is loaded; if it stays so, look at PRINTWARDEN_DETECTOR and at the server's log",
}

const Ready = z.object({
  parts: z.record(z.string(), z.boolean()),
  reasons: z.record(z.string(), z.string()).optional(),
})

/** `GET /healthz` */
export function aliveFinding(url: string, { status }: Probe): Finding {
  const check = 'server answers'
  if (status === 200) return { check, ok: true, detail: url }
  const advice = 'does --url name the server itself, or a proxy that does not reach it?'
  return { check, ok: false, detail: `${url}/healthz answered ${status}`, advice }
}

/** `GET /readyz`: one finding for each part. */
export function readyFindings({ status, text }: Probe): Finding[] {
  const ready = Ready.safeParse(parseJson(text)).data
  if (ready === undefined) {
    const advice = 'does --url name a Printwarden server?'
    return [{ check: 'ready', ok: false, detail: `/readyz answered ${status} and nothing we know`, advice }]
  }
  return Object.entries(ready.parts).map(([part, ok]): Finding => {
    if (ok) return { check: part, ok, detail: 'ready' }
    const advice = ready.reasons?.[part] ?? ADVICE[part] ?? "look at the server's log"
    return { check: part, ok, detail: 'not ready', advice }
  })
}

/** The server's version beside the command's. */
export function versionFinding(server: string, command: string): Finding {
  const check = 'version'
  if (server === command) return { check, ok: true, detail: server }
  const detail = `the server is ${server}, this command ${command}`
  return { check, ok: false, detail, advice: 'use the command of the same version as the server' }
}

/** The assistant is no must: without one nothing is wrong. */
export function assistantFinding({ is_configured, text_model, problem }: AssistantStatus): Finding {
  const check = 'assistant'
  if (!is_configured) return { check, ok: true, detail: 'not configured; PRINTWARDEN_ASSISTANT_URL turns it on' }
  if (problem === null) return { check, ok: true, detail: `${text_model} answers` }
  return {
    check,
    ok: false,
    detail: problem,
    advice: 'look at PRINTWARDEN_ASSISTANT_URL and _KEY, and whether its server runs',
  }
}

/** A finding for people. */
export function findingLine({ check, ok, detail, advice }: Finding): string {
  return `${ok ? 'ok  ' : 'FAIL'}  ${check}: ${detail}${advice === undefined ? '' : `; ${advice}`}`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
