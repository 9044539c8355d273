import { UsageError } from '../../model/errors.ts'
import { toIso } from '../../model/time.ts'
import type { RecordBounds } from '../../store/port.ts'

export function beforeRecord(begins: number): string {
  return `There is no history from before ${toIso(begins)}`
}

/**
 * Since when the history is known, and why not earlier; null where the clock was ahead when it began.
 *
 * @param retainedFrom the beginning of what is kept, which the next erasure deletes; absent = what is erased already.
 * @throws UsageError when there is no history yet.
 */
export function knownSince(
  { begins, erasedBefore }: RecordBounds,
  now: number,
  retainedFrom = Number.NEGATIVE_INFINITY,
): { readonly at: number; readonly why: string } | null {
  if (begins === null) throw new UsageError('There is no history yet; run "tenantwatch sync" once')
  if (begins > now) return null
  const from = Math.max(erasedBefore ?? retainedFrom, retainedFrom)
  if (from <= begins) return { at: begins, why: beforeRecord(begins) }
  return { at: from, why: `The history from before ${toIso(from)} is erased: history.retentionDays has passed` }
}
