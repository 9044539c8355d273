import { expect, it } from 'vitest'
import { postgresDialect } from '../../../../src/store/db/db.ts'
import { translate } from '../../../../src/store/db/postgres/statement.ts'
import { postgresDb } from '../../../support/postgres.ts'

it('reads records by their keys alone, with a plan that was made while the table was small', async () => {
  const { query } = postgresDb()
  const { text, slots } = translate(postgresDialect.recordsByKeys('key'))
  expect(slots).toEqual(['keys', 'tenantId', 'resource'])
  query(`prepare by_keys (text[], bigint, text) as ${text}`)
  const keys = Array.from({ length: 200 }, (_, i) => 10 * i)
  const execute = `execute by_keys ('{${keys}}', 1, 'users')`
  const insert = (from: number, to: number) =>
    query(`insert into records (tenant_id, resource, key, body, first_seen_at, read_at)
      select 1, 'users', n::text, '{}', 0, 0 from generate_series(${from}, ${to}) as n`)
  // Pages of a first full sync, as many as it takes until the plan no longer depends on the values.
  for (let page = 0; page < 8; page++) {
    insert(200 * page, 200 * page + 199)
    query(execute)
  }
  insert(1600, 19_999)

  const plan = query(`explain (analyze, format json) ${execute}`)
  expect(query(execute)).toHaveLength(200)
  expect(JSON.stringify(plan)).not.toContain('Removed by Filter')
})
