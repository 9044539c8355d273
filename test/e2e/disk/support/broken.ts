import { withDatabase } from '../../../support/sqlite.ts'

/** What SQLite finds wrong with a database, opened as the next program would, recovery included; empty when it is sound. */
export function brokenIn(file: string): readonly string[] {
  return withDatabase(file, (raw) => {
    const health = raw.prepare('pragma integrity_check').pluck().all().map(String)
    const orphans = raw
      .prepare('pragma foreign_key_check')
      .all()
      .map((row) => JSON.stringify(row))
    return [...health.filter((text) => text !== 'ok'), ...orphans]
  })
}
