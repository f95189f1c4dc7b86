import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

// The server's tests on the engines of a fleet: every test that opens a database, once more on PostgreSQL, and those of the adapters.

/** By itself or through a whole server: whoever opens a database has it from one of these. */
const OPENS_A_DATABASE = /\/testing\.js'/

/** Tests that open a database and have nothing to say about it. */
const ABOUT_SOMETHING_ELSE = [
  // Routes, headers, documents and who may do what: the same before any store is asked.
  'packages/server/src/http/',
  // Commands, which speak to a server by its REST API.
  'packages/server/src/cli/',
  // Files of SQLite: adapters are tested by their extended tests, and migrations that a new database never sees.
  'packages/server/src/adapters/',
  'packages/server/src/migrations/',
  // The detector's answers and the pictures in a time-lapse, by the minute.
  'packages/server/src/detection/detection.test.ts',
  'packages/server/src/detection/past/as-live.test.ts',
  'packages/server/src/detection/service/',
  // What a hostile file, an existing slicer or a client library sends: the stores behind them have tests of their own.
  'packages/server/src/g-code/hostile.test.ts',
  'packages/server/src/g-code/slicers.test.ts',
  'packages/server/src/oauth/libraries.test.ts',
]

const opensADatabase = (file: string): boolean =>
  !ABOUT_SOMETHING_ELSE.some((start) => file.startsWith(start)) && OPENS_A_DATABASE.test(readFileSync(file, 'utf8'))

const serverTests = readdirSync('packages/server/src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts') && !path.endsWith('.extended.test.ts'))
  .map((path) => `packages/server/src/${path}`)

export default defineConfig({
  ssr: { resolve: { conditions: ['x-source'], externalConditions: ['x-source', 'node', 'import', 'default'] } },
  test: {
    name: 'engines',
    include: [
      'packages/server/src/**/*.extended.test.ts',
      'test/engines/*.test.ts',
      ...serverTests.filter(opensADatabase),
    ],
    exclude: ['**/node_modules/**'],
    globalSetup: ['test/support/engines-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // No test replaces a module: what one file has imported serves the next, which saves half of the time.
    isolate: false,
    maxWorkers: 2,
  },
})
