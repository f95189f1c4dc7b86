import type { AgentSettings } from '@printwarden/protocol'
import { z } from 'zod'
import type { PrinterRow } from '../printers/store.js'
import { columnText } from './column-text.js'

/** What is kept of an agent's settings, as JSON text. Real ones have a few KiB; every reader of the printer gets them. */
export const MAX_SETTINGS_LENGTH = 256 * 1024

/** The width of the columns for the agent's name and version. */
const MAX_NAME_LENGTH = 64

const Stored = z.record(z.string(), z.unknown())

export type AgentColumns = Pick<PrinterRow, 'agent_name' | 'agent_version' | 'settings'>

/**
 * Merges what an agent reported into what is stored, key by key: agents report some keys rarely and leave them out otherwise.
 * A null says nothing about its key.
 */
export function mergeSettings(stored: AgentColumns, reported: AgentSettings): AgentColumns {
  const told = Object.entries(reported).filter(([, value]) => value !== null && value !== undefined)
  const merged = new Map([...Object.entries(parseSettings(stored.settings)), ...told])
  return {
    agent_name: columnText(reported.agent.name, MAX_NAME_LENGTH),
    agent_version: columnText(reported.agent.version, MAX_NAME_LENGTH),
    settings: JSON.stringify(Object.fromEntries(merged)),
  }
}

export function isSameAgent(a: AgentColumns, b: AgentColumns): boolean {
  return a.settings === b.settings && a.agent_name === b.agent_name && a.agent_version === b.agent_version
}

/** What is not an object any more counts as nothing. */
function parseSettings(text: string): Record<string, unknown> {
  try {
    return Stored.safeParse(JSON.parse(text)).data ?? {}
  } catch {
    return {}
  }
}
