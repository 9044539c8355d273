import type { RecordBounds } from '../../mirror/port.ts'
import { toIso } from '../../model/dates.ts'

export const noRecordYet = 'There is no history yet; run "tenantwatch sync" once'

export function beforeRecord(begins: number): string {
  return `There is no history from before ${toIso(begins)}`
}

export function erasedBy(from: number): string {
  return `The history from before ${toIso(from)} is erased: history.retentionDays has passed`
}

/** Since when the history is known, and why not earlier; null when that is not before `now`, because the clock was ahead. */
export function knownSince(
  { begins, erasedBefore }: RecordBounds,
  now: number,
): { readonly at: number; readonly why: string } | null {
  if (begins === null || begins > now) return null
  return erasedBefore !== null && erasedBefore > begins
    ? { at: erasedBefore, why: erasedBy(erasedBefore) }
    : { at: begins, why: beforeRecord(begins) }
}
