import { expect, it, onTestFinished } from 'vitest'
import { sqlViews } from '../../../src/store/postgres/views/index.ts'
import type { SqlView } from '../../../src/store/views/view.ts'
import { testPostgres } from '../../support/postgres.ts'

const columnsOf = ({ name }: SqlView) =>
  `select column_name as name, data_type as type from information_schema.columns
   where table_schema = current_schema() and table_name = '${name}' order by ordinal_position`

function database() {
  const postgres = testPostgres()
  onTestFinished(() => postgres.drop())
  return postgres
}

it('has the documented columns, the tenant first', () => {
  const { query } = database()
  for (const view of sqlViews) {
    expect(query(columnsOf(view)), view.name).toEqual(view.columns.map(({ name, type }) => ({ name, type })))
    expect(view.columns[0]?.name).toBe('tenant')
    expect(query(`select * from ${view.name}`)).toEqual([])
  }
})

it('has a view of every resource, with a column for each field of its descriptor', () => {
  const names = sqlViews.map(({ name }) => name)
  expect(names).toMatchInlineSnapshot(`
    [
      "tenantwatch_api_clients",
      "tenantwatch_settings",
      "tenantwatch_documents",
      "tenantwatch_permissions",
      "tenantwatch_roles",
      "tenantwatch_role_permissions",
      "tenantwatch_users",
      "tenantwatch_sync",
      "tenantwatch_checks",
      "tenantwatch_findings",
      "tenantwatch_history",
    ]
  `)
  const users = sqlViews.find(({ name }) => name === 'tenantwatch_users')
  expect(users?.columns.map(({ name, type }) => `${name} ${type}`)).toMatchInlineSnapshot(`
    [
      "tenant text",
      "user_id bigint",
      "first_name text",
      "last_name text",
      "email text",
      "state text",
      "mfa_status boolean",
      "mfa_action boolean",
      "role_id bigint",
      "role_name text",
      "created_at timestamp with time zone",
      "role_id_read_at timestamp with time zone",
      "first_seen_at timestamp with time zone",
      "missing_since timestamp with time zone",
    ]
  `)
})
