import type { Printer } from '@printwarden/protocol'

// Existing clients know some fields and values by the literals of the alias table (wire facts, section 7).

const AGENT_NAMES: Readonly<Record<string, string>> = {
  octoprint_service: 'octoprint_obico',
  moonraker_service: 'moonraker_obico',
}

const OWN_AGENT_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(AGENT_NAMES).map(([own, literal]) => [literal, own]),
)

/** What an agent is called here that calls itself, or is called elsewhere, by this name. */
export const ownAgentName = (name: string): string => valueOf(OWN_AGENT_NAMES, name) ?? name

const valueOf = (names: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(names, name) ? names[name] : undefined

/** A field of a status by its own name, and by the one that existing clients read. */
const FILE_ID = ['service_g_code_file_id', 'obico_g_code_file_id'] as const
const METADATA = ['service', 'obico'] as const

/** A printer as existing clients expect it: with the names that they know beside ours, and what agents are called by their name for it. */
export function namedForExistingClients(printer: Printer): Printer {
  return {
    ...printer,
    agent_name: agentName(printer.agent_name),
    settings: withAgentNames(printer.settings),
    status: printer.status === null ? null : withStatusNames(printer.status),
  }
}

const agentName = (name: string | null): string | null => (name === null ? null : (valueOf(AGENT_NAMES, name) ?? name))

/** The settings with the names that existing clients know. */
export function withAgentNames(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { agent, agent_name: name, service_plugin_version: version } = settings
  return {
    ...settings,
    ...(name === undefined ? {} : { agent_name: literalOf(name) }),
    ...(version === undefined ? {} : { tsd_plugin_version: version }),
    ...(isRecord(agent) ? { agent: { ...agent, name: literalOf(agent['name']) } } : {}),
  }
}

const literalOf = (name: unknown): unknown => (typeof name === 'string' ? agentName(name) : name)

function withStatusNames(status: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { job, file_metadata: metadata, state } = status
  const named: Record<string, unknown> = { ...status }
  if (isRecord(state)) named['state'] = withHostText(state)
  if (isRecord(job) && isRecord(job['file'])) named['job'] = { ...job, file: withLiteral(job['file'], FILE_ID) }
  if (isRecord(metadata)) named['file_metadata'] = withLiteral(metadata, METADATA)
  return named
}

/** They take any text, and show the host's own word for what is none of the seven (wire facts, section 0, row 16). */
function withHostText(state: Record<string, unknown>): Record<string, unknown> {
  return typeof state['host_text'] === 'string' ? { ...state, text: state['host_text'] } : state
}

function withLiteral(
  record: Record<string, unknown>,
  [ours, literal]: readonly [string, string],
): Record<string, unknown> {
  return ours in record ? { ...record, [literal]: record[ours] } : record
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
