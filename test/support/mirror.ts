import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { Mirror } from '../../src/store/port.ts'
import { temporaryFolder } from './temporary.ts'
import { openTestMirror } from './test-database.ts'

export interface TestMirror {
  readonly mirror: Mirror
  readonly path: string
  /** Looks into the file beside the mirror. */
  query(sql: string, ...values: unknown[]): Record<string, unknown>[]
  wrongCounts(): readonly unknown[]
}

/** An engine's mirror in a database of the test's own. */
export function testMirror(): TestMirror {
  const path = join(temporaryFolder(), 'mirror.db')
  const { mirror, query, wrongCounts, closeQuery } = openTestMirror(path)
  onTestFinished(async () => {
    const wrong = wrongCounts()
    closeQuery()
    await mirror[Symbol.asyncDispose]()
    expect(wrong).toEqual([])
  })
  return { mirror, path, query, wrongCounts }
}
