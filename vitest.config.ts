import { defineConfig, type TestUserConfig } from 'vitest/config'

/** Where a report for machines goes, beside the one for people. */
const report = process.env['TEST_REPORT']

/** Tests that try each fault, hostile input and simulated life in full, and those that take longest: `npm run test:robustness`. */
export const robustness = [
  'test/hostile/**/*.test.ts',
  'test/net/**/*.test.ts',
  'test/secrets/**/*.test.ts',
  'test/simulation/**/*.test.ts',
  'test/commands/as-of*.test.ts',
  'test/commands/damage.test.ts',
  'test/commands/hostile.test.ts',
  'test/commands/local-clock.test.ts',
  'test/commands/own-checks.test.ts',
  'test/evaluate/on-engine.test.ts',
  'test/own-checks.test.ts',
]

/** Tests that take most of a minute on the PostgreSQL within the process: `npm run test:postgres`, best on a server. */
const onPostgres = [
  'test/store/postgres/views.test.ts',
  'test/store/{lease-safety,leased-stores}.test.ts',
  'test/store/db/leases.test.ts',
  'test/store/db/postgres/{copy,migrations,plans,postgres-db}.test.ts',
]

export const base: TestUserConfig = {
  root: new URL('.', import.meta.url).pathname,
  setupFiles: ['test/setup.ts'],
  // A limit for what hangs, not a measure of speed: a busy machine takes many times as long as a quiet one.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  pool: 'forks',
  // Much of the time goes to waiting for sockets and disks, not to computing.
  maxWorkers: 4,
  // Nothing here lives in modules, so files share workers: a third less time.
  isolate: false,
  // Node runs the files as they are, as it does for users; what is mocked is a wire or a clock, never a module.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  ...(report && { reporters: ['default', 'json'], outputFile: { json: report } }),
}

/** `TESTS=all` adds the other tests, for tools that pick their files. */
const left = process.env['TESTS'] === 'all' ? [] : [...robustness, ...onPostgres]

export default defineConfig({
  test: {
    ...base,
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**', ...left],
  },
})
