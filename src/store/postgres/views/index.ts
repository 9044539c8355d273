import { hash } from 'node:crypto'
import { ofRecords } from '../../history/changes.ts'
import { recordViews, type ViewDialect } from '../../views/record-views.ts'
import { creationOf, type SqlView } from '../../views/view.ts'
import { checkView } from './check-view.ts'
import { asJson, instant } from './columns.ts'
import { findingView, historyView } from './finding-views.ts'
import { syncView } from './sync-view.ts'

const casts = { boolean: '::boolean', integer: '::bigint', text: '' } as const

const dialect: ViewDialect = {
  nameOf: (view) => `tenantwatch_${view}`,
  body: 'j.b',
  supplement: 'r.supplement::json',
  joined: `\n  cross join lateral (select ${asJson('r.body')} as b offset 0) j`,
  eachOf: (list) => ` cross join lateral json_array_elements(j.b -> '${list}') m`,
  each: 'm',
  member(json, field, kind) {
    if (kind === 'json') return `${json} -> '${field}'`
    const text = `(${json} ->> '${field}')`
    return kind === 'date' ? instantOf(text) : `${text}${casts[kind]}`
  },
  instant,
}

/** A date as the API sends it, which is UTC without an offset, and may have a comma before the fraction. */
function instantOf(date: string): string {
  const hasOffset = `${date} ~* 't.*(z|[+-][0-9]{2}(:?[0-9]{2})?)$'`
  return `(replace(${date}, ',', '.') || case when ${hasOffset} then '' else 'Z' end)::timestamptz`
}

const ofResources = recordViews(dialect)
const ofRules = [syncView, checkView, findingView, historyView]

/** In the order of creation: a view only reads earlier ones. */
export const sqlViews: readonly SqlView[] = [...ofResources, ...ofRules]

/** Statements that create the views. */
export const viewStatements: readonly string[] = [
  // They exclude rows, which functions in the reader's query must not see.
  ...ofResources.map((view) => creationOf(view, ' with (security_barrier)')),
  ...ofRules.map((view) => creationOf(view)),
  // For queries of a period of `tenantwatch_history`.
  `create index if not exists events_instant on events (${instant('at')}) where ${ofRecords}`,
]

export const digestOfViews = hash('sha256', viewStatements.join('\n'))
