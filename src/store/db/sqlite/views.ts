import type BetterSqlite3 from 'better-sqlite3'
import { recordViews, type ViewDialect } from '../../views/record-views.ts'
import { creationOf } from '../../views/view.ts'

/** Dates are as the tenant sends them, lists are JSON. */
const dialect: ViewDialect = {
  nameOf: (view, resource) => resource?.replaceAll('-', '_') ?? view,
  body: 'r.body',
  supplement: 'r.supplement',
  joined: '',
  eachOf: (list) => `, json_each(r.body -> '${list}') m`,
  each: 'm.value',
  member: (json, field) => `${json} ->> '${field}'`,
  instant: (ms) => `strftime('%Y-%m-%dT%H:%M:%SZ', (${ms}) / 1000, 'unixepoch')`,
}

/** Views of the live records for people (docs/sql.md), such as `select * from users`. */
const views: ReadonlyMap<string, string> = new Map(
  recordViews(dialect).map((view) => [view.name, creationOf(view)] as const),
)

/** Creates the views that are missing or differ. */
export function createViews(raw: BetterSqlite3.Database): void {
  const select = raw.prepare<[], { name: string; sql: string }>(
    "select name, sql from sqlite_master where type = 'view'",
  )
  const stored = new Map(select.all().map(({ name, sql }) => [name, sql]))
  const isSame = [...views].every(([name, sql]) => stored.get(name) === sql) && stored.size === views.size
  if (isSame) return
  raw.transaction(() => {
    for (const name of stored.keys()) raw.exec(`drop view "${name}"`)
    for (const sql of views.values()) raw.exec(sql)
  })()
}
