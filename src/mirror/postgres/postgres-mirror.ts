import { FatalError } from '../../model/errors.ts'
import type { Operations } from '../database.ts'
import type { Mirror } from '../port.ts'
import { countDifferences } from '../records/record-counts.ts'
import { storesOver } from '../stores.ts'
import type { PostgresDatabase } from './database.ts'
import { type OpenedPostgres, openPostgres, type PostgresOptions } from './open.ts'

/** @throws FatalError when the database cannot be used as it is. */
export async function openPostgresMirror(options: PostgresOptions): Promise<Mirror> {
  return postgresMirror(await openPostgres(options))
}

export function postgresMirror({ database, ...opened }: OpenedPostgres): Mirror {
  const { flush, ...stores } = storesOver(database)
  return {
    ...stores,
    // The sandbox of own checks is fed from a file.
    ask: () => database.run(() => ({ kind: 'failed', problem: 'Own checks do not run on PostgreSQL yet' })),
    ping: () =>
      database.read(function* () {
        yield* database.prepare('select 1').get()
      }),
    isVerified: () => true,
    verify: () => verifyCounts(database),
    async [Symbol.asyncDispose]() {
      await flush()
      await opened[Symbol.asyncDispose]()
    },
  } satisfies Operations<Mirror>
}

/** Damaged pages are for `data_checksums` and `pg_amcheck` to find. */
function verifyCounts(database: PostgresDatabase) {
  return database.read(function* () {
    for (const text of countDifferences(database.sql)) {
      if ((yield* database.prepare(text).get()) === undefined) continue
      throw new FatalError('The database of store.url is damaged: its counts do not agree with its records')
    }
  })
}
