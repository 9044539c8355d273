import { expect, it } from 'vitest'
import { postgresDialect } from '../../../../src/store/db/postgres/dialect.ts'
import { translate } from '../../../../src/store/db/postgres/placeholders.ts'
import { postgresDb } from '../../../support/postgres.ts'

it('reads records by their keys alone, with a plan that was made while the table was small', async () => {
  const { query } = postgresDb()
  const { text, slots } = translate(
    postgresDialect.selectByKeys({ columns: ['user_id'], table: 'users', key: '"user_id"' }),
  )
  expect(slots).toEqual(['keys', 'tenantId'])
  query(`prepare by_keys (bigint[], bigint) as ${text}`)
  const keys = Array.from({ length: 200 }, (_, i) => 10 * i)
  const execute = `execute by_keys ('{${keys}}', 1)`
  const insert = (from: number, to: number) =>
    query(`insert into users (rid, tenant_id, user_id, first_seen_at, read_at, state, mfa_status, mfa_action, created_at,
      created_at_ms) select n, 1, n, 0, 0, 'Active', 0, 0, '1970-01-01', 0 from generate_series(${from}, ${to}) as n`)
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
