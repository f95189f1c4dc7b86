import { ApiError, type Output } from '@printwarden/sdk'

export type FoundAgent = Output<'listUnlinkedAgents'>[number]

const PASSCODE_LENGTH = 5

/** The letters and digits of what was typed or pasted as a passcode, as the agent shows them. */
export function passcodeOf(typed: string): string {
  return typed
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .slice(0, PASSCODE_LENGTH)
}

export const isWholePasscode = (passcode: string): boolean => passcode.length === PASSCODE_LENGTH

/** Six digits as people read them out: "123 456". */
export const groupedCode = (code: string): string => `${code.slice(0, 3)} ${code.slice(3)}`

/** What kind of agent this is, by what it calls itself; its own words where that says nothing to us. */
export function kindOf({ agent, machine_type }: Pick<FoundAgent, 'agent' | 'machine_type'>): string {
  const words = `${agent ?? ''} ${machine_type ?? ''}`
  if (/octoprint/i.test(words)) return 'OctoPrint'
  if (/moonraker|klipper/i.test(words)) return 'Klipper'
  return agent || 'An agent'
}

/** Where it is: "octopi, 192.168.1.9". */
export function placeOf({ hostname, host_or_ip }: Pick<FoundAgent, 'hostname' | 'host_or_ip'>): string {
  return [hostname, host_or_ip].filter(Boolean).join(', ')
}

/** Why a passcode was not taken, where that needs more words than the server's; undefined for everything else. */
export function passcodeProblem(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  if (error.status === 404) {
    return 'No agent shows this code. Look again at its screen: it may show a new one by now, or ask another server.'
  }
  if (error.status === 429) return 'Too many wrong codes. Wait a minute, then try again.'
  return undefined
}

/** Why the agent got no code; undefined for what has nothing to do with it. */
export function sendProblem(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  if (error.status === 409) {
    return 'The server cannot reach this agent to make sure that it is there. Type the code below at the agent instead.'
  }
  if (error.status === 404) return 'This agent is not heard of any more. Wait until it shows up again.'
  return undefined
}
