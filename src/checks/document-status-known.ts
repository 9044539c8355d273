import * as z from 'zod'
import { ok } from '../evaluate/check.ts'
import { toIso } from '../model/dates.ts'
import { hourMs } from '../model/durations.ts'
import { isKnownWord } from '../model/text/words.ts'
import type { MirrorRecord } from '../store/records/query.ts'
import { defineCheck } from './support/define-check.ts'
import { doneStatusesOf, readsStatusHistory, statusOutcome, statusSince } from './support/documents.ts'
import { factsOf, textOf } from './support/records.ts'
import { hours } from './support/time-limits.ts'
import { counted, onDate, quoted } from './support/words.ts'

export const documentStatusKnown = defineCheck({
  id: 'document-status-known',
  title: 'Every document has a known upload status within 24 hours',
  failing: ['document has an unknown upload status', 'documents have an unknown upload status'],
  description:
    'No document has an uploadStatus outside `documents.knownStatuses` for longer than `hours`; null is unknown unless that list contains it. The time starts as in document-processing-finished.',
  risk: 'It is unclear whether the document is in use or its upload failed.',
  remediation:
    'Look the document up in the portal; add a legitimate status to `documents.knownStatuses` and to `statuses` of document-processing-finished (busy) or document-required-present (finished).',
  alert: 'DocumentStatusUnknown',
  severities: ['low'],
  evaluates: 'documents',
  timeBased: true,
  material: ['uploadStatus'],
  options: z.strictObject({ hours: hours(24) }),
  ruleContext: ({ knownDocumentStatuses, optionsOf }) => [[...knownDocumentStatuses].sort(), doneStatusesOf(optionsOf)],
  begin({ hours: most }, { now, knownDocumentStatuses: known, optionsOf }) {
    const done = doneStatusesOf(optionsOf)
    const isKnown = (document: MirrorRecord) => isKnownWord(known, document.fields['uploadStatus'])
    return {
      readsHistoryOf: (document) => !isKnown(document) && readsStatusHistory(document),
      record(document, history) {
        if (isKnown(document)) return ok
        const found = statusSince(document, history, done, now)
        return statusOutcome(found, most * hourMs, now, () => failureOf(document, found.since, most))
      },
    }
  },
})

function failureOf(document: MirrorRecord, since: number, most: number) {
  const status = textOf(document, 'uploadStatus')
  const present = status === null ? 'null' : quoted(status)
  const limit = counted(most, 'hour')
  return {
    kind: 'fails',
    severity: 'low',
    message: `Document ${document.key} has the unknown upload status ${present} and has been without a completed one since ${onDate(since)} (limit ${limit}).`,
    evidence: {
      ...factsOf(document, ['fileId', 'filename', 'uploadStatus', 'createdAt', 'updatedAt']),
      statusSince: toIso(since),
      thresholdHours: most,
    },
  } as const
}
