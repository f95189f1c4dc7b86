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
      'training/**/*.test.ts',
      'bench/**/*.test.ts',
      'test/detection/rendered.test.ts',
    ],
    // Of engines that are not in Node; vitest.extended.config.ts has them.
    exclude: ['**/node_modules/**', '**/*.extended.test.ts'],
    // What is waited for comes in milliseconds, but not on a machine that is busy with something else.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // No test replaces a module: what one file has imported serves the next, which saves a third of the time.
    isolate: false,
    maxWorkers: 2,
  },
})
