import { onTestFinished } from 'vitest'
import { bringUpToDate, postgresMigrations, type Upgrade } from '../../../../src/store/postgres/migrate.ts'
import { testPostgres, testTiming } from '../../../support/postgres.ts'

/** A database with the present layout, for which a further migration is due. */
export async function migrated(
  sql: readonly string[],
  prepare: (query: ReturnType<typeof testPostgres>['query']) => void,
) {
  const postgres = testPostgres()
  const sessions = postgres.connect()
  onTestFinished(async () => {
    await sessions[Symbol.asyncDispose]()
    await postgres.drop()
  })
  const known = postgresMigrations()
  const scratch = { sql: [...sql], hash: 'scratch', folderMillis: (known.at(-1)?.folderMillis ?? 0) + 1 }
  prepare(postgres.query)
  const session = await sessions.take()
  const migrations = [...known, scratch]
  const migrate = (upgrade: Partial<Upgrade> = {}, over = session) =>
    bringUpToDate(over, 'engine', { ...testTiming, migrations, ...upgrade })
  return { ...postgres, session, migrate, [Symbol.dispose]: () => session.release(false) }
}
