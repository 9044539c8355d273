import * as z from 'zod'
import { ok } from '../evaluate/check.ts'
import { toIso } from '../model/dates.ts'
import { hourMs } from '../model/durations.ts'
import { isKnownWord } from '../model/text/words.ts'
import type { MirrorRecord } from '../store/records/query.ts'
import { defineCheck } from './support/define-check.ts'
import {
  busyStatuses,
  doneStatusesOf,
  readsStatusHistory,
  statusOutcome,
  statusSince,
  statusWords,
} from './support/documents.ts'
import { factsOf, textOf } from './support/records.ts'
import { hours } from './support/time-limits.ts'
import { counted, onDate } from './support/words.ts'

export const documentProcessingFinished = defineCheck({
  id: 'document-processing-finished',
  title: 'Every document finishes processing within 24 hours',
  failing: ['document is stuck in processing', 'documents are stuck in processing'],
  description:
    'No document has an uploadStatus of `statuses` (Processing by default) for longer than `hours`. The time starts when the document last left a completed status (`statuses` of document-required-present, Completed by default); for a document that never had one, at the updatedAt (else createdAt) that was first mirrored.',
  risk: 'A document that is stuck in ingestion cannot be queried.',
  remediation: "Upload the document again, or ask the service's support about its ingestion.",
  alert: 'DocumentStuck',
  severities: ['medium'],
  evaluates: 'documents',
  notEvaluatedWhere: 'the upload status is not in documents.knownStatuses',
  timeBased: true,
  material: ['statusSince'],
  options: z.strictObject({ hours: hours(24), statuses: busyStatuses }),
  ruleContext: ({ knownDocumentStatuses, optionsOf }) => [[...knownDocumentStatuses].sort(), doneStatusesOf(optionsOf)],
  begin({ statuses: busy, hours: most }, { now, knownDocumentStatuses, optionsOf }) {
    const done = doneStatusesOf(optionsOf).filter((status) => !busy.includes(status))
    const isBusy = (document: MirrorRecord) => isKnownWord(busy, document.fields['uploadStatus'])
    return {
      readsHistoryOf: (document) => isBusy(document) && readsStatusHistory(document),
      record(document, history) {
        const status = document.fields['uploadStatus']
        const isKnown = status === null || isKnownWord([...knownDocumentStatuses, ...done], status)
        if (!isBusy(document)) return isKnown ? ok : { kind: 'not_evaluated' }
        const found = statusSince(document, history, done, now)
        return statusOutcome(found, most * hourMs, now, () => failureOf(document, found.since, most))
      },
    }
  },
})

function failureOf(document: MirrorRecord, since: number, most: number) {
  const status = statusWords([textOf(document, 'uploadStatus')])
  const limit = counted(most, 'hour')
  return {
    kind: 'fails',
    severity: 'medium',
    message: `Document ${document.key} is ${status} and has been without a completed status since ${onDate(since)}, for more than ${limit}.`,
    evidence: {
      ...factsOf(document, ['fileId', 'filename', 'uploadStatus', 'createdAt', 'updatedAt']),
      statusSince: toIso(since),
      thresholdHours: most,
    },
  } as const
}
