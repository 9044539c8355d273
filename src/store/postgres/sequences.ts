import type { Log } from '../../model/log.ts'
import { copiedTables } from '../copy/copied-tables.ts'
import { blockBits } from '../sync/page-fingerprint-cache.ts'
import type { PostgresDatabase } from './database.ts'
import { sqlTypeOf } from './schema.ts'

/** Statements that each raise a sequence that is behind the rows of its tables, and then return a row. */
export function raiseSequences(): readonly string[] {
  const raise = (sequence: string, last: string, rows: string) =>
    `select setval(${sequence}, ${last}) from ${rows} having ${last} > coalesce(pg_sequence_last_value(${sequence}), 0)`
  const identities = copiedTables
    // The only row of `retention` is written with its id.
    .filter(({ name, key }) => key.length === 1 && key[0] === 'id' && name !== 'retention')
    .filter(({ name }) => sqlTypeOf(name, 'id') === 'bigint')
    .map(({ name }) => raise(`pg_get_serial_sequence('"${name}"', 'id')::regclass`, 'max(id)', `"${name}"`))
  const blocks = copiedTables.flatMap(({ name, columns }) => [
    ...(columns.includes('rid') ? [`select max(rid) >> ${blockBits} as block from "${name}"`] : []),
    ...(columns.includes('block') ? [`select max(block) as block from "${name}"`] : []),
  ])
  return [...identities, raise(`'rid_blocks'::regclass`, 'max(block)', `(${blocks.join(' union all ')}) used`)]
}

/**
 * Neither logical replication nor a restore of single tables copies sequences: new rows would get ids of existing ones.
 *
 * @throws SyncError `store`.
 */
export async function settleSequences(database: PostgresDatabase, log: Log): Promise<void> {
  const raised = await database.write('nothing', function* () {
    let count = 0
    for (const text of raiseSequences()) if ((yield* database.prepare(text).get()) !== undefined) count++
    return count
  })
  if (raised > 0) log.warn({ raised }, 'Sequences of the database were behind their tables and were raised')
}
