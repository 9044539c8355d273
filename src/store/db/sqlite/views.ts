import type BetterSqlite3 from 'better-sqlite3'
import { type RecordShape, recordShapes } from '../../records/record-shape.ts'

const instant = (ms: string) => `strftime('%Y-%m-%dT%H:%M:%SZ', ${ms} / 1000, 'unixepoch')`

/** Views of the live records for people (docs/sql.md), such as `select * from users`; dates as the tenant sends them. */
const views: readonly string[] = Object.values(recordShapes).flatMap((shape) => [viewOf(shape), ...listViewsOf(shape)])

/** Creates all views anew, because those of another version may differ. */
export function createViews(raw: BetterSqlite3.Database): void {
  const stored = raw.prepare<[], string>("select name from sqlite_master where type = 'view'").pluck().all()
  raw.transaction(() => {
    for (const name of stored) raw.exec(`drop view "${name}"`)
    for (const sql of views) raw.exec(sql)
  })()
}

function nameOf({ resource }: RecordShape): string {
  return resource.replaceAll('-', '_')
}

function viewOf(shape: RecordShape): string {
  const { fields, ownTimes, detail } = shape
  const columns = [
    't.name as tenant',
    ...Object.keys(fields).map((field) => {
      const from = field === detail?.field ? 'supplement' : 'body'
      return `r.${from} ->> '${field}' as "${snakeCase(field)}"`
    }),
    ...Object.entries(ownTimes).map(
      ([shown, name]) => `${instant(`(r.supplement ->> '${name}')`)} as "${snakeCase(shown.replace(/Ms$/, ''))}"`,
    ),
    `${instant('r.first_seen_at')} as first_seen_at`,
    `${instant('r.missing_since')} as missing_since`,
  ]
  return creation(nameOf(shape), columns, `records r join tenants t on t.id = r.tenant_id where ${isShown(shape)}`)
}

/** A view with a row for each member of a list. */
function listViewsOf(shape: RecordShape): readonly string[] {
  const { idField, lists } = shape
  return Object.entries(lists).map(([list, { view, fields }]) => {
    const id = idField ?? 'id'
    const members = Object.keys(fields).map((field) => `m.value ->> '${field}' as "${snakeCase(field)}"`)
    const columns = ['t.name as tenant', `r.body ->> '${id}' as "${snakeCase(id)}"`, ...members]
    const from = `records r join tenants t on t.id = r.tenant_id, json_each(r.body -> '${list}') m where ${isShown(shape)}`
    return creation(view, columns, from)
  })
}

function isShown({ resource }: RecordShape): string {
  return `r.resource = '${resource}' and r.removed_at is null and r.body is not null`
}

function creation(name: string, columns: readonly string[], from: string): string {
  return `CREATE VIEW "${name}" as select\n  ${columns.join(',\n  ')}\nfrom ${from}`
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
