import { defineConfig } from 'vitest/config'

/** Proofs that take every point or very many kills; otherwise generous, for a machine that has other things to do. */
const isLong = process.env['TENANTWATCH_DISK_POINTS'] === 'all' || process.env['TENANTWATCH_RANDOM_KILLS'] !== undefined
const patienceMs = isLong ? 3_600_000 : 600_000

/** Minutes on a machine of its own; it runs with TENANTWATCH_DATABASE_TROUBLES=1, or when it is named. */
const onDemand = ['test/e2e/replicas-database.test.ts']
const isWanted =
  process.env['TENANTWATCH_DATABASE_TROUBLES'] !== undefined ||
  process.argv.some((argument) => onDemand.some((file) => argument.includes(file)))

/** Where a report for machines goes, beside the one for people. */
const report = process.env['TEST_REPORT']

export default defineConfig({
  test: {
    root: new URL('.', import.meta.url).pathname,
    include: ['test/e2e/**/*.test.ts'],
    exclude: isWanted ? [] : onDemand,
    testTimeout: patienceMs,
    hookTimeout: patienceMs,
    // Much of the time goes to waiting for alerts, leases and limits.
    maxWorkers: 2,
    pool: 'forks',
    ...(report && { reporters: ['default', 'json'], outputFile: { json: report } }),
  },
})
