import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { expect, onTestFinished } from 'vitest'
import type { Mirror } from '../../src/mirror/port.ts'
import { openMirror } from '../../src/mirror/sqlite/sqlite-mirror.ts'
import { temporaryFolder } from './temporary.ts'
import { wrongCounts } from './wrong-counts.ts'

export interface TestMirror {
  readonly mirror: Mirror
  readonly path: string
  /** Looks into the file beside the mirror. */
  query(sql: string, ...values: unknown[]): Record<string, unknown>[]
}

/** An engine's mirror in a file of the test's own. */
export function testMirror(): TestMirror {
  const path = join(temporaryFolder(), 'mirror.db')
  const mirror = openMirror(path, 'engine')
  const beside = new BetterSqlite3(path)
  onTestFinished(async () => {
    const wrong = wrongCounts((sql) => beside.prepare(sql).all())
    beside.close()
    await mirror[Symbol.asyncDispose]()
    expect(wrong).toEqual([])
  })
  return { mirror, path, query: (sql, ...values) => beside.prepare(sql).all(...values) as Record<string, unknown>[] }
}
