import { defineConfig } from 'vitest/config'

// Packages import each other's TypeScript sources through the "x-source" condition, so tests need no build.
export default defineConfig({
  ssr: { resolve: { conditions: ['x-source'], externalConditions: ['x-source', 'node', 'import', 'default'] } },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'scripts/**/*.test.ts',
      'test/e2e/**/*.test.ts',
      'test/conformance/*.test.ts',
    ],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // What is waited for comes in milliseconds, but not on a machine that is busy with something else.
    expect: { poll: { timeout: 10_000 } },
    maxWorkers: 2,
  },
})
