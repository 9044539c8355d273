import { defineConfig } from 'vitest/config'
import { base, robustness } from '../../vitest.config.ts'

// Stryker instruments modules through the module runner of Vite.
const { experimental: _, ...options } = base

const folders = process.env['TESTS'] ?? '{sync,evaluate,store,checks}'

export default defineConfig({
  test: {
    ...options,
    include: [`test/${folders}/**/*.test.ts`],
    // Left out: tests in other processes, which have no mutants, and those of PostgreSQL.
    exclude: [...robustness, 'test/checks/{own/**,until.test.ts}', 'test/store/{postgres/**,db/**,lease*.test.ts}'],
  },
})
