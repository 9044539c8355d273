import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { testPostgres } from '../../support/postgres.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/sql.md'), 'utf8')

const instant = 'timestamp with time zone'

/** Views of the page with their columns and types, in its order. */
function documented(): ReadonlyMap<string, readonly object[]> {
  const sections = page.split(/^### /m).slice(1)
  return new Map(
    sections.map((text) => {
      const found = text.matchAll(/`(\w+)`\s+(text|boolean|bigint|numeric|json|timestamptz)\b/g)
      const columns = [...found].map(([, name, type]) => ({ name, type: type === 'timestamptz' ? instant : type }))
      return [/^`(\w+)`/.exec(text)?.[1] ?? '', columns]
    }),
  )
}

it('has the views of docs/sql.md with their columns and types, the tenant first', () => {
  const { query, drop } = testPostgres()
  onTestFinished(() => drop())
  const found = new Map<string, object[]>()
  const columns = query(
    `select table_name as view, column_name as name, data_type as type from information_schema.columns
     where table_schema = current_schema() and table_name like 'tenantwatch\\_%' and table_name in
       (select viewname from pg_views where schemaname = current_schema()) order by ordinal_position`,
  )
  for (const { view, name, type } of columns)
    found.set(String(view), [...(found.get(String(view)) ?? []), { name, type }])
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(documented()))
  for (const [view, [first]] of found) {
    expect(first).toEqual({ name: 'tenant', type: 'text' })
    expect(query(`select * from ${view}`)).toEqual([])
  }
})

it('names all views in the grant of docs/sql.md', () => {
  const [, grant = ''] = /grant select on\n([^;]*)\nto grafana/.exec(page) ?? []
  const granted = grant.split(',').map((name) => name.trim())
  expect(granted.sort()).toEqual([...documented().keys()].sort())
})
