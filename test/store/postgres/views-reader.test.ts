import { expect, it } from 'vitest'
import { onPostgres } from '../../support/test-database.ts'
import { type SqlWorld, sqlWorld } from './support/sql-world.ts'
import { testRole } from './support/test-role.ts'

const viewsOf = ({ sql }: SqlWorld) =>
  sql('select viewname from pg_views where schemaname = current_schema()')
    .map(({ viewname }) => String(viewname))
    .filter((name) => name.startsWith('tenantwatch_'))

/** Does something as a role that has the grants of docs/sql.md. */
function asReader<T>(world: SqlWorld, act: () => T): T {
  const { sql } = world
  const role = testRole({ query: sql })
  const [{ name: schema } = {}] = sql('select current_schema() as name')
  sql(`grant usage on schema "${schema}" to ${role}`)
  sql(`grant select on ${viewsOf(world).join(', ')} to ${role}`)
  sql(`set role ${role}`)
  try {
    return act()
  } finally {
    sql('reset role')
  }
}

it.runIf(onPostgres)('lets a role read the views that has no right on a table', async () => {
  const world = await sqlWorld()
  const tables = world.sql('select tablename from pg_tables where schemaname = current_schema()')
  expect(tables.length).toBeGreaterThan(15)
  asReader(world, () => {
    for (const name of viewsOf(world)) world.sql(`select * from ${name}`)
    expect(world.sql('select * from tenantwatch_users').length).toBeGreaterThan(0)
    for (const { tablename } of tables) {
      expect(() => world.sql(`select * from "${tablename}"`), String(tablename)).toThrow('permission denied')
      expect(() => world.sql(`delete from "${tablename}"`), String(tablename)).toThrow('permission denied')
    }
    expect(() => world.sql(`update tenantwatch_users set email = ''`)).toThrow('cannot update')
  })
})

it.runIf(onPostgres)('shows no raw content, unknown field, cursor or digest of a credential', async () => {
  const world = await sqlWorld()
  const { sql } = world
  const secret = 'hunter2-hunter2'
  sql(`insert into records (tenant_id, resource, key, raw, problem, problem_since, first_seen_at, read_at)
    values (1, 'users', '7', '${secret}', '${secret}', 1, 1, 1)`)
  sql(`update records set body = left(body, -1) || ',"extra":{"password":"${secret}"}}', request_id = '${secret}'
    where body is not null`)
  sql(`update sync_states set cursor = '${secret}', message = '${secret}'`)
  sql(`update tenants set accepted_credential = '${secret}', base_url = '${secret}', admitted = '${secret}'`)
  sql(`insert into holds (id, tenant_id, resource, reason, count, message, cause, raised_at)
    values ('h', 1, 'users', 'shrink_held', 1, 'm', '{"c":"${secret}"}', 1)`)
  asReader(world, () => {
    for (const name of viewsOf(world)) {
      const rows = sql(`select * from ${name}`)
      expect(JSON.stringify(rows), name).not.toContain(secret)
    }
  })
})

it.runIf(onPostgres)('leaves removed records out, also for a function of the reader', async () => {
  const world = await sqlWorld()
  const { sql } = world
  sql(`update records set removed_at = 1, body = '{"userId":1,"email":"gone@example.com"}'
    where rid = (select min(rid) from records where resource = 'users')`)
  sql(`update sync_states set live = live - 1 where resource = 'users'`)
  sql(`create function tell(email text) returns boolean language plpgsql cost 0.0001 as $$
    begin if email = 'gone@example.com' then raise exception 'seen'; end if; return true; end $$`)
  const [{ n = 0 } = {}] = sql('select count(*) as n from users')
  expect(sql('select email from tenantwatch_users where tell(email)')).toHaveLength(Number(n) - 1)
  expect(() => sql('select email from users where tell(email)')).toThrow('seen')
})

it.runIf(onPostgres)('reads JSON that has U+0000, which PostgreSQL does not', async () => {
  const world = await sqlWorld()
  const evidence = { name: 'a\0b\0\0c', path: '\\u0000', plain: '\\\\u0000', list: ['\\\0'] }
  world.sql('update findings set evidence = ?', JSON.stringify(evidence))
  world.sql(
    `insert into events (tenant_id, at, kind, subject, data, digest, hash)
     values (1, 1, 'record.changed', 'users/1', ?, '', '')`,
    JSON.stringify({ firstName: ['a\0', null] }),
  )
  const shown = world.sql('select distinct evidence::text as text from tenantwatch_findings')
  expect(shown.map(({ text }) => JSON.parse(String(text)))).toEqual([
    { name: 'a\ufffdb\ufffd\ufffdc', path: '\\u0000', plain: '\\\\u0000', list: ['\\\ufffd'] },
  ])
  expect(world.sql(`select before, after from tenantwatch_history where field = 'firstName'`)).toEqual([
    { before: 'a\ufffd', after: null },
  ])
})

it.runIf(onPostgres)('shows the members of lists', async () => {
  const world = await sqlWorld()
  const roles = await world.test.exported('roles')
  const codes = roles.flatMap(({ roleId, permissions }) =>
    (permissions as readonly { readonly code: string }[]).map(({ code }) => `${roleId} ${code}`),
  )
  const found = world.sql('select role_id, code from tenantwatch_role_permissions')
  expect(found.map(({ role_id, code }) => `${role_id} ${code}`).toSorted()).toEqual(codes.toSorted())
})
