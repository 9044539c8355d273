import { defineConfig } from 'vitest/config'
import { base } from './vitest.config.ts'

const ofEngine = [
  'test/commands/own-checks.test.ts',
  'test/evaluate/{identity,on-engine,waivers}.test.ts',
  'test/sync/{guard-budget,history,hold-life,quarantine,removal,user-details}.test.ts',
]

/** Tests of the mirror on PostgreSQL: that of `TEST_POSTGRES_URL`, else one within the process. */
export default defineConfig({
  test: {
    ...base,
    env: { TEST_DATABASE: 'postgres' },
    // Each of them has a thread with a PostgreSQL of its own.
    maxWorkers: 2,
    include: [
      'test/store/{audit-chain,event-store,finding-names,finding-order,leased-stores,lease-safety,record,record-retention}.test.ts',
      'test/checks/own/own-query.test.ts',
      'test/own-checks.test.ts',
      'test/notify/read-news.test.ts',
      'test/report/trend.test.ts',
      'test/store/postgres/*.test.ts',
      'test/store/db/*.test.ts',
      'test/store/db/postgres/*.test.ts',
      // The PostgreSQL within the process takes minutes for what a server takes seconds.
      ...(process.env['TEST_POSTGRES_URL'] === undefined ? [] : ofEngine),
    ],
  },
})
