// What a process does, and which settings go with that. Pure.

export const ROLES = ['web', 'detector', 'jobs'] as const
export type Role = (typeof ROLES)[number]

/** Variables as they were given, by their names without prefix. */
type Given = Readonly<Record<string, string>>

/** Settings that only one role reads. */
const READ_BY: Readonly<Record<string, Role>> = {
  DETECTOR: 'detector',
  DETECTOR_TOKEN: 'detector',
  DETECTOR_ORIGIN: 'detector',
  DETECTOR_THREADS: 'detector',
  VIDEO_ENCODER: 'jobs',
}

/** A process that takes no requests works for those that do, and meets them nowhere but in Redis. */
export function problemsOfRoles(given: Given, roles: readonly Role[] | undefined): string[] {
  if (roles === undefined || roles.includes('web') || given['REDIS_URL'] !== undefined) return []
  return [
    'PRINTWARDEN_ROLES: a process without "web" works for others: give it their PRINTWARDEN_REDIS_URL, PRINTWARDEN_DATABASE_URL and PRINTWARDEN_SECRET_KEY, or add "web"',
  ]
}

/** What was set for a role that this process has not. */
export function warningsOfRoles(given: Given, roles: readonly Role[]): string[] {
  return Object.entries(READ_BY).flatMap(([name, role]) =>
    given[name] === undefined || roles.includes(role)
      ? []
      : [`PRINTWARDEN_${name} has no effect: PRINTWARDEN_ROLES has no "${role}"`],
  )
}
