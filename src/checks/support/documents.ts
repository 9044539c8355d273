import * as z from 'zod'
import type { Evaluator, Outcome, RuleContext } from '../../evaluate/check.ts'
import type { Severity } from '../../model/severity.ts'
import { isKnownWord } from '../../model/text/words.ts'
import { hourMs, parseIsoDate, toIso } from '../../model/time.ts'
import type { ChangeRow, MirrorRecord } from '../../store/records/query.ts'
import { counted, documentFacts, onDate, textOf, timeOf } from './records.ts'
import { isOlderThan, olderFrom } from './time-limits.ts'

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

interface WithoutCompletion {
  readonly severity: Severity
  /** The completed statuses. */
  readonly done: readonly (string | null)[]
  readonly hours: number
  readonly now: number
  /** Outcome of a document with another status; null for one that fails once it has been without completion too long. */
  readonly other: (status: unknown) => Outcome | null
  /** What follows the document in the sentence of a finding. */
  readonly problem: (status: string | null, since: string, limit: string) => string
}

/** Fails for documents that have been without a completed status for longer than some hours. */
export function withoutCompletion(rule: WithoutCompletion): Evaluator {
  const { severity, done, hours: most, now, other, problem } = rule
  const limitMs = most * hourMs
  const failure = (document: MirrorRecord, since: number) => ({
    kind: 'fails' as const,
    severity,
    message: `Document ${document.key} ${problem(textOf(document, 'uploadStatus'), onDate(since), counted(most, 'hour'))}.`,
    evidence: { ...documentFacts(document), statusSince: toIso(since), thresholdHours: most },
  })
  return {
    // A document that was not written again since the first time has no changes.
    readsHistoryOf: ({ fields, readAt, firstSeenAt }) =>
      other(fields['uploadStatus']) === null && readAt !== firstSeenAt,
    record(document, history) {
      const outcome = other(document.fields['uploadStatus'])
      if (outcome !== null) return outcome
      const left = history.findLast(({ field, before }) => field === 'uploadStatus' && isKnownWord(done, before))
      // A time ahead was recorded while the clock was wrong, and counts from that instant on.
      const isAhead = left !== undefined && left.at > now
      const since = left === undefined || isAhead ? firstMirrored(document, history) : left.at
      if (isOlderThan(since, limitMs, now)) return { ...failure(document, since), ...(isAhead && { until: left.at }) }
      const until = olderFrom(since, limitMs)
      return { kind: 'ok', until: isAhead && left.at <= until ? olderFrom(left.at, limitMs) : until }
    },
  }
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
