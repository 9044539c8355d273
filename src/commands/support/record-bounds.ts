import { toIso } from '../../model/dates.ts'
import { UsageError } from '../../model/errors.ts'
import type { RecordBounds } from '../../store/port.ts'

export const noRecordYet = 'There is no history yet; run "tenantwatch sync" once'

export function beforeRecord(begins: number): string {
  return `There is no history from before ${toIso(begins)}`
}

export function erasedBy(from: number): string {
  return `The history from before ${toIso(from)} is erased: history.retentionDays has passed`
}

/** Since when the history is known, and why not earlier; null when that is not before `now`, because the clock was ahead. */
function knownSince(
  { begins, erasedBefore }: RecordBounds,
  now: number,
): { readonly at: number; readonly why: string } | null {
  if (begins === null || begins > now) return null
  return erasedBefore !== null && erasedBefore > begins
    ? { at: erasedBefore, why: erasedBy(erasedBefore) }
    : { at: begins, why: beforeRecord(begins) }
}

interface Period {
  readonly since: number | undefined
  readonly until: number | undefined
  readonly now: number
}

/**
 * Why changes of the period are unknown; null when it begins within the history, or when no beginning is asked for.
 *
 * @throws UsageError when the whole period is unknown: an empty answer would look like "nothing changed".
 */
export function unknownPart(bounds: RecordBounds, { since, until, now }: Period): string | null {
  if (bounds.begins === null && until !== undefined) throw new UsageError(noRecordYet)
  const known = knownSince(bounds, now)
  if (known === null) return null
  if (until !== undefined && until < known.at) throw new UsageError(known.why)
  return since !== undefined && since < known.at ? known.why : null
}
