import BetterSqlite3 from 'better-sqlite3'
import { expect, it } from 'vitest'
import { testMirror } from '../support/mirror.ts'

/** Rows that belong to a tenant through another row: the column that refers to it. */
const dependent = {
  full_sync_pages: { column: 'full_sync_id', of: 'full_syncs', key: 'id' },
} as const

/** Tables of the whole mirror. */
const shared = ['__drizzle_migrations', 'retention', 'sqlite_sequence']

interface Column {
  readonly name: string
  readonly type: string
  readonly notnull: 0 | 1
  readonly pk: number
}

it('erases the rows of a tenant from every table, and no other row', async () => {
  const { mirror, path, query } = testMirror()
  const at = Date.parse('2026-03-01T12:00:00Z')
  const [gone, kept] = await Promise.all(
    ['gone', 'kept'].map(async (name) => (await mirror.openTenant(name, `https://${name}`, at)).tenant.id),
  )
  const names = query("select name from sqlite_schema where type = 'table'").map(({ name }) => String(name))
  const columnsOf = (table: string) => query(`select * from pragma_table_info('${table}')`) as unknown as Column[]
  const belongs = (table: string) => columnsOf(table).some(({ name }) => name === 'tenant_id')
  // The counts follow from the records, by what the engine itself writes.
  const own = names.filter((table) => belongs(table) && table !== 'record_counts')
  const rest = names.filter((table) => !belongs(table) && table !== 'tenants' && !shared.includes(table))
  expect(rest.toSorted()).toEqual(Object.keys(dependent))
  const beside = new BetterSqlite3(path)
  const fill = (table: string, given: Readonly<Record<string, unknown>>, id: number) => {
    const columns = columnsOf(table).filter(({ name, notnull, pk }) => name in given || notnull === 1 || pk > 0)
    const values = columns.map(({ name, type }) => given[name] ?? (type === 'text' ? `${name} ${id}` : id))
    const list = columns.map(({ name }) => `"${name}"`).join(', ')
    beside.prepare(`insert into "${table}" (${list}) values (${columns.map(() => '?').join(', ')})`).run(...values)
  }
  for (const tenantId of [gone, kept].map(Number)) {
    for (const table of own) fill(table, { tenant_id: tenantId }, tenantId)
    for (const [table, { column, of, key }] of Object.entries(dependent)) {
      const owner = query(`select "${key}" as id from "${of}" where tenant_id = ?`, tenantId)[0]?.['id']
      fill(table, { [column]: owner }, tenantId)
    }
  }
  beside.close()
  const rows = () => Object.fromEntries(names.map((table) => [table, query(`select * from "${table}"`)]))
  const before = rows()
  for (const table of own) expect(before[table], table).not.toEqual([])
  await mirror.purgeTenant(Number(gone))
  const after = rows()
  for (const table of own) {
    const left = before[table]?.filter((row) => row['tenant_id'] === kept)
    expect(after[table], table).toEqual(left)
  }
  for (const [table, { column, of, key }] of Object.entries(dependent)) {
    const owners = after[of]?.map((row) => row[key])
    expect(after[table], table).toHaveLength(1)
    expect(owners, table).toContain(after[table]?.[0]?.[column])
  }
  expect(after['tenants']).toMatchObject([{ name: 'kept' }])
  await mirror.purgeTenant(Number(kept))
  const end = rows()
  for (const table of [...own, ...Object.keys(dependent), 'tenants']) expect(end[table], table).toEqual([])
})
