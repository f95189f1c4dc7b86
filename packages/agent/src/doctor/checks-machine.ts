import { findBad, findGood, type Finding } from './checks.js'
import { platformProblems } from '../install/platform.js'
import { includeFor, SECTION_FILE, serviceFor } from '../install/moonraker.js'
import { SERVICE } from '../install/unit.js'

const MIB = 1024 * 1024
/** Below this nothing can be kept that the server has not got yet. */
const LEAST_FREE_BYTES = 50 * MIB
const LITTLE_FREE_BYTES = 300 * MIB

/** Something that works, but should be mended. */
export function findOdd(subject: string, text: string, mend: string): Finding {
  return { ok: true, subject, text, mend }
}

/** The findings about Node and the machine's kind. */
export function platformFindings(arch: string, nodeVersion: string): Finding[] {
  const problems = platformProblems(arch, nodeVersion)
  if (problems.length === 0) return [findGood('machine', `Node ${nodeVersion} on ${arch}`)]
  return problems.map(({ text, mend }) => findBad('machine', text, mend))
}

/** The finding about who may read a file with secrets. `mode` is that of the file, with or without its type. */
export function secretFinding(path: string, mode: number): Finding {
  const others = mode & 0o077
  if (others === 0) return findGood('secrets', `only their owner may read ${path}`)
  return findOdd('secrets', `others on this machine may read ${path}, with the tokens in it`, `chmod 600 ${path}`)
}

/** The finding about room on the disk where the agent keeps what the server has not got yet. */
export function diskFinding(freeBytes: number): Finding {
  const text = `${Math.floor(freeBytes / MIB)} MiB are free`
  if (freeBytes >= LITTLE_FREE_BYTES) return findGood('disk', text)
  const mend = 'delete old G-code files, logs or time-lapses'
  return freeBytes < LEAST_FREE_BYTES ? findBad('disk', text, mend) : findOdd('disk', text, mend)
}

/** What systemd says about the agent's unit. */
export interface UnitState {
  /** Whose manager knows it; undefined when there is no unit. */
  readonly scope: 'system' | 'user' | undefined
  /** As `systemctl is-active` says, such as `active` or `failed`. */
  readonly active: string
  /** As `systemctl is-enabled` says. */
  readonly enabled: string
}

/** The finding about the service. */
export function unitFinding({ scope, active, enabled }: UnitState): Finding {
  if (scope === undefined) {
    return findOdd('service', 'none is installed, so the agent does not start by itself', 'printwarden-agent install')
  }
  const control = scope === 'user' ? 'systemctl --user' : 'sudo systemctl'
  const log = scope === 'user' ? `journalctl --user -u ${SERVICE} -e` : `journalctl -u ${SERVICE} -e`
  if (active === 'active' || active === 'activating') {
    if (enabled === 'enabled') return findGood('service', `${active}, starts with this machine`)
    return findOdd('service', `${active}, but does not start with this machine`, `${control} enable ${SERVICE}`)
  }
  if (active === 'unknown')
    return findOdd('service', 'systemd does not answer', `look by hand: ${control} status ${SERVICE}`)
  return findBad('service', `it is ${active}`, `${control} restart ${SERVICE}; what went wrong: ${log}`)
}

/** Moonraker's files, as far as they are there. */
export interface MoonrakerTexts {
  readonly conf: string
  readonly services: string | undefined
  /** Whether our section's file is there. */
  readonly hasSection: boolean
}

/** The findings about what Moonraker was told of the agent. `isSystemService`: only such a one can it restart. */
export function moonrakerFindings({ conf, services, hasSection }: MoonrakerTexts, isSystemService: boolean): Finding[] {
  const hasInclude = includeFor(conf) === undefined
  const mend = 'printwarden-agent install'
  const found: Finding[] = []
  if (hasInclude && !hasSection) {
    // Moonraker does not start with an include that leads nowhere.
    const text = `moonraker.conf includes ${SECTION_FILE}, which is not there: Moonraker will not start`
    found.push(findBad('Moonraker', text, `${mend}, or take the line out`))
  } else if (hasInclude) {
    found.push(findGood('Moonraker', 'shows updates of the agent'))
  }
  if (isSystemService && services !== undefined && serviceFor(services) !== undefined) {
    found.push(findOdd('Moonraker', 'may not restart the agent', mend))
  }
  return found
}
