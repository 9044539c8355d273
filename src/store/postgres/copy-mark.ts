import { FatalError } from '../../model/errors.ts'
import { copiedTables } from '../copy/copied-tables.ts'
import type { Steps } from '../steps.ts'
import type { PostgresDatabase } from './database.ts'
import { presentSchema } from './present-schema.ts'
import type { Session } from './session.ts'

/** A table that exists from the first to the last transaction of a copy; with it, the database is not a mirror yet. */
const mark = 'tenantwatch_copy'

const tablesNamed = (name: string) => `select count(*) as tables from pg_class
  where relnamespace = ${presentSchema} and relkind = 'r' and relname = '${name}'`

const markedSource = `select source from ${mark}`

const firstTable = `select name from (${copiedTables
  .map(({ name }) => `select '${name}' as name where exists (select 1 from "${name}")`)
  .join(' union all ')}) filled order by name limit 1`

/** True if the mirror's schema has the table, whatever the rest of the search path has. */
export async function hasTable(session: Session, name: string): Promise<boolean> {
  const [{ tables }] = (await session.sendText(tablesNamed(name))).rows as [{ tables: number }]
  return tables > 0
}

/** File of which the database contains an unfinished copy; null = none. */
export async function copyIn(session: Session): Promise<string | null> {
  if (!(await hasTable(session, mark))) return null
  const [row] = (await session.sendText(markedSource)).rows as [{ source: string }?]
  return row?.source ?? ''
}

/** @throws FatalError when a table of the mirror has rows. */
export async function insistOnEmpty(session: Session): Promise<void> {
  const [row] = (await session.sendText(firstTable)).rows as [{ name: string }?]
  if (row !== undefined) throw notEmpty(row.name)
}

/** @throws FatalError when the database contains an unfinished copy. */
export async function insistOnNoCopy(database: PostgresDatabase): Promise<void> {
  const source = await database.read(() => sourceOfCopy(database))
  if (source !== null) throw halfCopied(source)
}

/**
 * Marks an empty database as the target of a copy; keeps an existing mark.
 *
 * @throws FatalError when it is neither.
 */
export async function markCopy(database: PostgresDatabase, source: string): Promise<void> {
  await database.write('everything', function* () {
    if ((yield* sourceOfCopy(database)) === null) {
      const filled = yield* database.prepare<[], { name: string }>(firstTable).get()
      if (filled !== undefined) throw notEmpty(filled.name)
      yield* database.prepare(`create table ${mark} (source text not null)`).run()
    }
    yield* database.prepare(`delete from ${mark}`).run()
    yield* database.prepare<[string]>(`insert into ${mark} (source) values (?)`).run(source)
  })
}

/** Call in the transaction that completes the copy. */
export function* removeMark(database: PostgresDatabase): Steps<void> {
  yield* database.prepare(`drop table ${mark}`).run()
}

function* sourceOfCopy(database: PostgresDatabase): Steps<string | null> {
  const found = yield* database.prepare<[], { tables: number }>(tablesNamed(mark)).get()
  if (found === undefined || found.tables === 0) return null
  return (yield* database.prepare<[], { source: string }>(markedSource).get())?.source ?? ''
}

export function halfCopied(source: string): FatalError {
  return new FatalError(
    `The database of store.url contains an unfinished copy of ${source}; finish it with "tenantwatch migrate-store --from ${source}", or give tenantwatch another, empty database`,
  )
}

function notEmpty(table: string): FatalError {
  return new FatalError(
    `The database of store.url is not empty: its table ${table} has rows; set store.url to an empty database, because a copy is never mixed with other data`,
  )
}
