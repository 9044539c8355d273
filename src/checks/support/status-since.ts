import { type Outcome, ok } from '../../evaluate/check.ts'
import { parseIsoDate } from '../../model/dates.ts'
import type { ChangeRow, MirrorRecord } from '../../store/records/query.ts'
import { timeOf } from './records.ts'
import { isDoneByMirror } from './statuses.ts'
import { isOlderThan, olderFrom } from './time-limits.ts'

type Statuses = readonly (string | null)[]

/** When a document left its last completed status, in milliseconds since the epoch. */
export interface StatusSince {
  readonly since: number
  /** A later start, which counts from that instant on: it was recorded while the clock was wrong. */
  readonly later?: number
}

/** With default statuses, a `statusSince` up to `firstSeenAt` has never changed, so the history adds nothing. */
export function readsStatusHistory(document: MirrorRecord, done: Statuses): boolean {
  return !isDoneByMirror(done) || timeOf(document, 'statusSince') > document.firstSeenAt
}

/** @param done the completed statuses. */
export function statusSince(
  document: MirrorRecord,
  history: readonly ChangeRow[],
  done: Statuses,
  now: number,
): StatusSince {
  const mirrored = timeOf(document, 'statusSince')
  const recorded = readsStatusHistory(document, done) ? completedSince(document, history, done) : null
  if (recorded === null) return { since: mirrored }
  if (isDoneByMirror(done)) return { since: Math.min(recorded, mirrored) }
  return recorded > now ? { since: Math.min(recorded, mirrored), later: recorded } : { since: recorded }
}

/** Fails once the status is older than the limit. */
export function statusOutcome(
  { since, later }: StatusSince,
  limitMs: number,
  now: number,
  failure: () => Outcome & { readonly kind: 'fails' },
): Outcome {
  if (isOlderThan(since, limitMs, now)) return later === undefined ? failure() : { ...failure(), until: later }
  const until = olderFrom(since, limitMs)
  return { ...ok, until: later !== undefined && later <= until ? olderFrom(later, limitMs) : until }
}

function completedSince(document: MirrorRecord, changes: readonly ChangeRow[], done: Statuses): number | null {
  const ofStatus = changes.filter(({ field }) => field === 'uploadStatus')
  if (ofStatus.length === 0) return null
  const left = ofStatus.findLast(({ before }) => done.some((status) => status === before))
  return left?.at ?? firstMirrored(document, changes)
}

/** `updatedAt ?? createdAt` when the document was first mirrored, at most `firstSeenAt`. */
function firstMirrored({ fields, firstSeenAt }: MirrorRecord, changes: readonly ChangeRow[]): number {
  const atFirst = (name: string) => {
    const change = changes.find(({ field }) => field === name)
    return parseIsoDate(change === undefined ? fields[name] : change.before)?.ms
  }
  return Math.min(atFirst('updatedAt') ?? atFirst('createdAt') ?? firstSeenAt, firstSeenAt)
}
