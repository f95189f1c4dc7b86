import { z } from 'zod'

/** The two scopes (section 5). `write` does not imply `read` (decision 4). */
export const SCOPES = ['read', 'write'] as const

/** `read`: see user data and printers. `write`: change settings, upload files, control printers. */
export const Scope = z.enum(SCOPES)
export type Scope = z.infer<typeof Scope>

/** The scopes in a space-separated text; unknown words and repetitions are dropped. */
export function parseScopes(text: string): Scope[] {
  const words = text.split(/\s+/)
  return SCOPES.filter((scope) => words.includes(scope))
}
