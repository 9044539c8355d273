import { plural } from '../../model/text/numbers.ts'

interface Row {
  readonly at: string
  readonly tenant: unknown
  readonly resource: unknown
  readonly change: unknown
}

/** Consecutive removals of a resource, some of which were left out. */
export interface Folded<Change extends Row> {
  readonly leftOut: number
  readonly last: Change
}

/** Most consecutive removals that a terminal shows, so that the decision before them remains visible. */
const mostRemovals = 10

/** Replaces consecutive removals of a tenant's resource, after the first ones, by their number. */
export async function* foldRemovals<Change extends Row>(
  changes: AsyncIterable<Change>,
): AsyncIterable<Change | Folded<Change>> {
  let last: Change | undefined
  let count = 0
  const folded = () => (last !== undefined && count > mostRemovals ? [{ leftOut: count - mostRemovals, last }] : [])
  for await (const change of changes) {
    const isNext = last?.tenant === change.tenant && last?.resource === change.resource
    const isSame = count > 0 && change.change === 'removed' && isNext
    if (!isSame) yield* folded()
    count = change.change !== 'removed' ? 0 : isSame ? count + 1 : 1
    last = change
    if (count <= mostRemovals) yield change
  }
  yield* folded()
}

export function leftOutInWords({ leftOut, last }: Folded<Row>): string {
  return `${last.at}  ${last.tenant}  … and ${plural(leftOut, 'more record')} of ${last.resource} removed; --format csv lists all`
}
