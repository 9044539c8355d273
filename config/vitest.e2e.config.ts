import { defineConfig } from 'vitest/config'

/** Where a report for machines goes, beside the one for people. */
const report = process.env['TEST_REPORT']

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/e2e/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    fileParallelism: false,
    pool: 'forks',
    ...(report && { reporters: ['default', 'json'], outputFile: { json: report } }),
  },
})
