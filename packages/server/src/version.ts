import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { packageFile } from './package-files.js'

/** The server's version, as its package says. */
export const VERSION = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(packageFile('package.json'), 'utf8'))).version
