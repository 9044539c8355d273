import { createHash } from 'node:crypto'
import { dropTriggers, triggerStatements } from './triggers.ts'
import { dropViews, viewStatements } from './views/index.ts'

/** Run before a migration, because a column that a view or trigger uses cannot be changed. Keeps the grants. */
export const dropDerived: readonly string[] = [dropViews, dropTriggers]

/** Creates triggers and views, after the last migration, in the same transaction. */
export function makeDerived(): readonly string[] {
  return [...triggerStatements(), ...viewStatements()]
}

const title = '-- Triggers and views, made again after every migration: sha256 '

/** First text of a migration that changes them. It has no statement, because every migration creates them again. */
export function derivedMigration(): string {
  return title + createHash('sha256').update(makeDerived().join('\n')).digest('hex')
}

export function isDerivedMigration({ sql }: { readonly sql: readonly string[] }): boolean {
  return sql[0]?.startsWith(title) === true
}
