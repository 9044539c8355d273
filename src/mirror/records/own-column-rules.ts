import type { OwnColumn, ResourceDefinition } from '../../model/resource.ts'
import type { Detail, RecordTable, Stored, StoredFields } from './record-table.ts'

type Settle = NonNullable<RecordTable['settle']>

/** An own column that follows from the record itself. */
type Following = readonly [name: string, column: Exclude<OwnColumn, { readonly rule: 'readById' }>]

/** How the mirror's own columns of a resource follow its records; a rule that would change nothing is absent. */
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
      // A time ahead of the clock would otherwise put off, perhaps for ever, what is seen already.
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

/** What only an answer by id states is worthless once the field changes that it hangs on. */
function withoutDetail({ states, hangsOn }: Detail): Settle {
  return (next, known) => {
    const isWorthless = next[hangsOn] !== known[hangsOn]
    return isWorthless && next[states] === null ? { [states]: null, lookupTurn: null } : {}
  }
}

/** The first answer by id tells of our reading, not of the tenant. */
function isHistoryBeside({ states, readAt }: Detail): NonNullable<RecordTable['isHistory']> {
  return (field, known) => field !== states || known[readAt] !== null
}
