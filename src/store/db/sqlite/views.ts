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
const views: readonly string[] = recordViews(dialect).map((view) => creationOf(view))

/**
 * Creates the views again if they differ, as those of another version may. Takes the lock for writing in any case, so
 * that an engine that starts waits for another program that writes.
 */
export function createViews(raw: BetterSqlite3.Database): void {
  const select = raw.prepare<[], { readonly name: string; readonly sql: string }>(
    "select name, sql from sqlite_master where type = 'view'",
  )
  raw
    .transaction(() => {
      const stored = select.all()
      if (stored.length === views.length && stored.every(({ sql }) => views.includes(sql))) return
      for (const { name } of stored) raw.exec(`drop view "${name}"`)
      for (const sql of views) raw.exec(sql)
    })
    .immediate()
}
