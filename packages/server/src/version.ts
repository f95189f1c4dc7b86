import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** The server's version, as its package says. The same place from the sources and from the build. */
export const VERSION = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))).version
