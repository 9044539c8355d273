import * as z from 'zod'
import { type Outcome, ok, type RuleContext } from '../../evaluate/check.ts'
import { parseIsoDate } from '../../model/dates.ts'
import { isKnownWord } from '../../model/text/words.ts'
import type { ChangeRow, MirrorRecord } from '../../store/records/query.ts'
import { textOf, timeOf } from './records.ts'
import { isOlderThan, olderFrom } from './time-limits.ts'
import { onDate } from './words.ts'

/** A configured list of upload statuses. The specification lists neither all statuses nor the meaning of null. */
export const statuses = (...byDefault: readonly string[]) =>
  z
    .array(z.string().min(1).max(200).nullable())
    .min(1)
    .max(50)
    .default([...byDefault])

/** Statuses of a document that is being processed: `statuses` of document-processing-finished. */
export const busyStatuses = statuses('Processing')

/** Completed statuses: `statuses` of document-required-present. */
export const doneStatuses = statuses('Completed')

export function doneStatusesOf(optionsOf: RuleContext['optionsOf']): readonly (string | null)[] {
  return doneStatuses.parse(optionsOf('document-required-present')['statuses']).toSorted()
}

/** True when these are the statuses that `statusSince` of the mirror is built for. */
export function isDoneByMirror(done: readonly (string | null)[]): boolean {
  return done.every((status) => status === 'Completed')
}

/** `Completed`, `Completed or null`. */
export function statusWords(wanted: readonly (string | null)[]): string {
  return [...new Set(wanted)].map(String).join(' or ')
}

type Statuses = readonly (string | null)[]

/** When a document left its last completed status, in milliseconds since the epoch. */
interface StatusSince {
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
  const left = ofStatus.findLast(({ before }) => isKnownWord(done, before))
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

export function lastTouched(document: MirrorRecord): string {
  const how = textOf(document, 'updatedAt') === null ? 'was uploaded' : 'was last updated'
  return `${how} on ${onDate(timeOf(document, 'touchedAtMs'))}`
}
