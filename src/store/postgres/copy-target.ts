import type { Clock } from '../../model/clock.ts'
import { ContentsSum, type Row, respelled } from '../copy/contents.ts'
import { type CopiedTable, copiedTables } from '../copy/copied-tables.ts'
import type { CopyTarget } from '../copy/copy-mirror.ts'
import { shown } from '../db/postgres/address.ts'
import { decodeText } from '../db/postgres/codec.ts'
import { countAgain } from '../records/record-counts.ts'
import { ended, type Statement, type Steps } from '../steps.ts'
import { markCopy, removeMark } from './copy-mark.ts'
import type { PostgresDatabase } from './database.ts'
import { openPostgres, type PostgresOptions } from './open.ts'
import { leaseForEngine, newEngineId } from './replicas/engine-lease.ts'
import { sqlTypeOf } from './schema.ts'
import { raiseSequences } from './sequences.ts'
import { keepsRows } from './triggers.ts'

/** Blocks of a table that one statement reads, which are some hundred rows. */
const blocksPerRead = 32

export interface DatabaseTarget extends CopyTarget, AsyncDisposable {
  /** Address for messages. */
  readonly place: string
}

export interface DatabaseTargetOptions extends Omit<PostgresOptions, 'role'> {
  readonly clock: Clock
  /** The copied file, which the mark names. */
  readonly source: string
}

/**
 * Opens an empty database, or one with an unfinished copy, as its only engine, and marks it.
 *
 * @throws FatalError when it cannot be used, is not empty, or an engine works on it.
 */
export async function openDatabaseTarget(options: DatabaseTargetOptions): Promise<DatabaseTarget> {
  await using opening = new AsyncDisposableStack()
  const { address, ...postgres } = await openPostgres({ ...options, role: 'copy' })
  opening.use(postgres)
  const lease = opening.use(await leaseForEngine(postgres.database, options.clock, newEngineId(options.random)))
  await markCopy(lease.database, options.source)
  const target = await databaseTarget(lease.database)
  const opened = opening.move()
  return { ...target, place: shown(address), [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** @param database already marked. */
export async function databaseTarget(database: PostgresDatabase): Promise<CopyTarget> {
  const found = await database.read(() => database.prepare<[], { table: string; name: string }>(ofNewRows).all())
  const triggers = Map.groupBy(found, ({ table }) => table)
  return {
    contents: (table, signal) => database.read(() => contentsOf(database, table, signal)),
    insert(table, rows) {
      const steps = insertSteps(database, table, rows)
      const silenced = triggers.get(table.name)?.map(({ name }) => name) ?? []
      return database.writeProgress(() => without(database, table.name, silenced, steps))
    },
    empty: ({ name }) => database.write('everything', () => truncate(database, name)),
    derive: () =>
      database.write('everything', function* () {
        for (const { name, kind } of copiedTables) if (kind === 'derived') yield* truncate(database, name)
        for (const text of countAgain(database.sql)) yield* ended(database.prepare(text).run())
      }),
    async complete() {
      for (const { name } of copiedTables)
        await database.writeProgress(() => database.prepare(`analyze "${name}"`).run())
      await database.write('everything', function* () {
        // New rows must get ids after the copied ones, new records ids of another block.
        for (const text of raiseSequences()) yield* database.prepare(text).get()
        yield* removeMark(database)
      })
    },
  }
}

/** Triggers for new rows, which are disabled because their effects are copied, too. */
const ofNewRows = `select c.relname as table, t.tgname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where c.relnamespace = quote_ident(current_schema())::regnamespace and t.tgname like 'tenantwatch\\_%' and t.tgtype & 4 <> 0`

function truncate(database: PostgresDatabase, name: string): Steps<void> {
  return without(database, name, [keepsRows], () => ended(database.prepare(`truncate "${name}"`).run()))
}

/** Runs the steps with these triggers of tenantwatch disabled. */
function* without(database: PostgresDatabase, table: string, triggers: readonly string[], steps: () => Steps<void>) {
  for (const name of triggers) yield* database.prepare(`alter table "${table}" disable trigger "${name}"`).run()
  yield* steps()
  for (const name of triggers) yield* database.prepare(`alter table "${table}" enable trigger "${name}"`).run()
}

/** One statement for any number of rows, with a list for each column. */
function insertSteps(database: PostgresDatabase, { name, columns }: CopiedTable, rows: readonly Row[]) {
  const lists = columns.map((column) => `?::${sqlTypeOf(name, column)}[]`)
  const insert: Statement<readonly unknown[], never> = database.prepare(
    `insert into "${name}" (${quoted(columns)}) select * from unnest(${lists.join(', ')})`,
  )
  return function* (): Steps<void> {
    yield* insert.run(...columns.map((_, at) => rows.map((row) => row[at])))
  }
}

/** Reads rows by their position in the table, because texts with escapes sort differently than in SQLite. */
function* contentsOf(database: PostgresDatabase, { name, columns, json }: CopiedTable, signal: AbortSignal) {
  const size = database.prepareValues<[], number>(
    `select pg_relation_size('"${name}"') / current_setting('block_size')::int`,
  )
  const read = database.prepareRows<[string, string], unknown[]>(
    `select ${quoted(columns)} from "${name}" where ctid >= cast(? as tid) and ctid < cast(? as tid)`,
  )
  const respelt = json.map((column) => columns.indexOf(column))
  const sum = new ContentsSum()
  const blocks = (yield* size.get()) ?? 0
  for (let block = 0; block < blocks; block += blocksPerRead) {
    signal.throwIfAborted()
    for (const row of yield* read.all(`(${block},0)`, `(${block + blocksPerRead},0)`)) {
      for (const at of respelt) row[at] = respelled(row[at], decodeText)
      sum.add(row)
    }
  }
  return sum.contents
}

function quoted(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join(', ')
}
