import { expect, it } from 'vitest'
import { minuteMs } from '../../../src/model/time.ts'
import { panelsOf } from '../../monitoring/support/shipped.ts'
import { onPostgres } from '../../support/test-database.ts'
import { type Row, type SqlWorld, sqlWorld } from './support/sql-world.ts'

/** The other panels read the metrics. */
const shown = panelsOf('records').filter(({ datasource }) => datasource.uid === '$' + '{database}')

/** As Grafana's PostgreSQL source writes a query: every value of a variable in quotes, `$__timeFilter` as a range. */
function written(sql: string, tenants: readonly string[], from: number): string {
  const iso = (ms: number) => `'${new Date(ms).toISOString()}'`
  const text = sql
    .replace(
      /\$__timeFilter\((\w+)\)/g,
      (_, column) => `${column} BETWEEN ${iso(from)} AND ${iso(Date.now() + minuteMs)}`,
    )
    .replaceAll('$tenant', tenants.map((name) => `'${name.replaceAll("'", "''")}'`).join(','))
  expect(text).not.toMatch(/\$\w|\[\[/)
  return text
}

/** Rows of the panel of this title. */
function rowsOf({ sql }: SqlWorld, title: string, { tenants = ['acme'], from = 0 } = {}): Row[] {
  const [target] = shown.find((one) => one.title === title)?.targets ?? []
  if (target === undefined) throw new Error(`There is no panel ${title}`)
  return sql(written(target.rawSql, tenants, from))
}

it.runIf(onPostgres)('asks the views of the selected tenants only', async () => {
  const world = await sqlWorld()
  expect(shown.map(({ title }) => title)).toMatchInlineSnapshot(`
    [
      "Users without a second factor",
      "API clients by expiry",
      "Open findings with evidence",
      "Changes of records",
    ]
  `)
  for (const { title } of shown) {
    const rows = rowsOf(world, title, { tenants: ["o'hara", 'none'] })
    expect(
      rows.flatMap((row) => Object.values(row)).filter((value) => value !== null),
      title,
    ).toEqual([])
    expect(rowsOf(world, title, { tenants: ["o'hara", 'acme'] }).length, title).toBe(
      title === 'Changes of records' ? 0 : rowsOf(world, title).length,
    )
  }
})

it.runIf(onPostgres)(
  'names the users without a second factor, since when, and by the findings of the check',
  async () => {
    const world = await sqlWorld()
    const findings = (await world.findings()).filter(({ check }) => check === 'user-mfa-enrolled')
    const users = new Map((await world.test.exported('users')).map((user) => [String(user['userId']), user]))
    const rows = rowsOf(world, 'Users without a second factor')
    expect(findings.length).toBeGreaterThan(1)
    const order = (list: readonly object[]) => list.map((one) => JSON.stringify(one)).toSorted()
    expect(order(rows.map(({ Since: since, ...row }) => ({ ...row, since: Number(since) })))).toEqual(
      order(
        findings.map(({ entity, firstSeen }) => {
          const { firstName, lastName, email, roleName, state } = users.get(entity.id) ?? {}
          const person = { Tenant: 'acme', Name: `${firstName} ${lastName}`, 'E-mail': email, Role: roleName }
          return { ...person, 'User state': state, Id: entity.id, since: Date.parse(firstSeen) }
        }),
      ),
    )
  },
)

it.runIf(onPostgres)('lists API clients by expiry, findings by severity, and the changes of the time', async () => {
  const world = await sqlWorld()
  const clients = rowsOf(world, 'API clients by expiry')
  const keyOf = ({ secretExpirationDate, name }: Row) => `${Date.parse(String(secretExpirationDate))} ${name}`
  const expected = (await world.test.exported('api-clients')).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  expect(clients.map((row) => [row['Client'], row['Role']])).toEqual(
    expected.map(({ name, roleName }) => [name, roleName]),
  )
  const [first] = expected
  const days = (Date.parse(String(first?.['secretExpirationDate'])) - Date.now()) / 86_400_000
  expect(Number(clients[0]?.['Days left'])).toBeCloseTo(days, 2)

  const open = (await world.findings()).filter(({ state }) => state === 'open')
  const found = rowsOf(world, 'Open findings with evidence')
  expect(found.map((row) => row['Finding']).toSorted()).toEqual(
    open.map(({ fingerprint }) => fingerprint.slice(0, 12)).toSorted(),
  )
  const ranks = found.map((row) => ['critical', 'high', 'medium', 'low', 'info'].indexOf(String(row['Severity'])))
  expect(ranks).toEqual([...ranks].toSorted((a, b) => a - b))
  const [{ Evidence: evidence, Finding: finding } = {}] = found
  expect(JSON.parse(String(evidence))).toEqual(
    open.find(({ fingerprint }) => fingerprint.startsWith(String(finding)))?.evidence,
  )

  const { sim } = world.test
  const { userId } = sim.primary.users.add({ firstName: 'Ada', state: 'Active' })
  await world.test.runAll('full')
  sim.primary.users.update(userId, { firstName: 'Ida' })
  await world.test.runAll('full')
  const changes = rowsOf(world, 'Changes of records').filter((row) => row['Id'] === String(userId))
  expect(changes).toMatchObject([
    { Tenant: 'acme', Resource: 'users', Change: 'changed', Field: 'firstName', Before: 'Ada', After: 'Ida' },
    { Change: 'created', Field: null, Before: null, After: null },
  ])
  expect(rowsOf(world, 'Changes of records', { from: Date.now() + minuteMs })).toEqual([])
})
