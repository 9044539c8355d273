import type { OwnColumn, ResourceDefinition } from '../../model/resource.ts'
import type { Detail, RecordTable, Stored, StoredFields } from './record-table.ts'

type Settle = NonNullable<RecordTable['settle']>

type Following = readonly [name: string, column: Exclude<OwnColumn, { readonly rule: 'readById' }>]

export function ownColumnRules(
  { own = {} }: ResourceDefinition,
  detail: Detail | null,
): Pick<RecordTable, 'settleNew' | 'settle' | 'isHistory'> {
  const columns = Object.entries<OwnColumn>(own).flatMap(([name, column]): Following[] =>
    column.rule === 'readById' ? [] : [[name, column]],
  )
  const settles = [
    ...(columns.length === 0 ? [] : [changed(columns)]),
    ...(detail === null ? [] : [withoutDetail(detail)]),
  ]
  return {
    ...(columns.length === 0 ? {} : { settleNew: created(columns) }),
    ...(settles.length === 0
      ? {}
      : { settle: (...of) => Object.assign({}, ...settles.map((settle) => settle(...of))) }),
    ...(detail === null ? {} : { isHistory: isHistoryBeside(detail) }),
  }
}

function created(columns: readonly Following[]): NonNullable<RecordTable['settleNew']> {
  return (next, at) => {
    const settled: Record<string, Stored> = {}
    for (const [name, column] of columns) {
      if (column.rule === 'firstOf') settled[name] = firstOf(column.dates, next, at)
      // With a time ahead of the clock, the state would look as if it had not begun.
      else settled[name] = Math.min(Number(settled[column.from] ?? at), at)
    }
    return settled
  }
}

function changed(columns: readonly Following[]): Settle {
  return (next, known, at) => {
    const settled: Record<string, Stored> = {}
    for (const [name, column] of columns) {
      if (column.rule === 'firstOf') settled[name] = firstOf(column.dates, next, at)
      else {
        const isAsBefore = (next[column.field] === column.is) === (known[column.field] === column.is)
        settled[name] = isAsBefore ? (known[name] ?? at) : at
      }
    }
    return settled
  }
}

function firstOf(dates: readonly string[], next: StoredFields, at: number): number {
  const present = dates.map((date) => next[`${date}Ms`] ?? null).find((ms) => ms !== null)
  return Number(present ?? at)
}

/** A detail from a look-up becomes null when the list field that it depends on changes. */
function withoutDetail({ states, hangsOn }: Detail): Settle {
  return (next, known) => {
    const isWorthless = next[hangsOn] !== known[hangsOn]
    return isWorthless && next[states] === null ? { [states]: null, lookupTurn: null } : {}
  }
}

/** The first look-up fills the detail in; only later differences are changes in the tenant. */
function isHistoryBeside({ states, readAt }: Detail): NonNullable<RecordTable['isHistory']> {
  return (field, known) => field !== states || known[readAt] !== null
}
