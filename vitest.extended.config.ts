import { defineConfig } from 'vitest/config'

// What needs more than Node: a real OctoPrint (Python), a real browser, photos; and what takes minutes. Run by .ci/run, never by `npm test`.
export default defineConfig({
  ssr: { resolve: { conditions: ['x-source'], externalConditions: ['x-source', 'node', 'import', 'default'] } },
  test: {
    include: [
      'test/hosts/**/*.test.ts',
      'test/browser/**/*.test.ts',
      'test/conformance/mutations/*.test.ts',
      'test/detection/photos.test.ts',
    ],
    testTimeout: 600_000,
    hookTimeout: 900_000,
    // Most of the time these tests wait for printers: two at once take half as long, and leave each enough of two cores.
    maxWorkers: 2,
  },
})
