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

/** `Completed`, `Completed or null`. */
export function statusWords(wanted: readonly (string | null)[]): string {
  return [...new Set(wanted)].map(String).join(' or ')
}

/** When a document left its last completed status, in milliseconds since the epoch. */
interface StatusSince {
  readonly since: number
  /** A later start, which counts from that instant on: it was recorded while the clock was wrong. */
  readonly later?: number
}

/** A document that was not written again since the first time has no changes. */
export function readsStatusHistory({ readAt, firstSeenAt }: MirrorRecord): boolean {
  return readAt !== firstSeenAt
}

/** @param done the completed statuses. */
export function statusSince(
  document: MirrorRecord,
  history: readonly ChangeRow[],
  done: readonly (string | null)[],
  now: number,
): StatusSince {
  const left = history.findLast(({ field, before }) => field === 'uploadStatus' && isKnownWord(done, before))
  if (left !== undefined && left.at <= now) return { since: left.at }
  return { since: firstMirrored(document, history), ...(left && { later: left.at }) }
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
