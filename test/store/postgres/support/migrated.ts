import { onTestFinished } from 'vitest'
import { bringUpToDate, inTransaction, postgresMigrations } from '../../../../src/store/db/postgres/migrate.ts'
import { testPostgres } from '../../../support/postgres.ts'

/** A database with the present layout, for which a further migration is due. */
export async function migrated(
  sql: readonly string[],
  prepare: (query: ReturnType<typeof testPostgres>['query']) => void,
) {
  const postgres = testPostgres()
  const connections = postgres.connect()
  onTestFinished(async () => {
    await connections.end()
    await postgres.drop()
  })
  const known = postgresMigrations()
  const scratch = { sql: [...sql], hash: 'scratch', folderMillis: (known.at(-1)?.folderMillis ?? 0) + 1 }
  prepare(postgres.query)
  const connection = await connections.connect()
  const migrations = [...known, scratch]
  const migrate = () => inTransaction(connection, (run) => bringUpToDate(run, 'engine', migrations))
  return { ...postgres, connection, migrate, [Symbol.dispose]: () => connection.release(false) }
}
