// Builds everything when something has changed since the last build.
import { build } from './build.mjs'
import { isBuilt } from './built.mjs'

process.exit(isBuilt() || build() ? 0 : 1)
