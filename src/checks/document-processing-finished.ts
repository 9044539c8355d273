import * as z from 'zod'
import { ok } from '../evaluate/check.ts'
import { isKnownWord } from '../model/text/words.ts'
import { defineCheck } from './support/define-check.ts'
import { busyStatuses, doneStatusesOf, withoutCompletion } from './support/documents.ts'
import { hours } from './support/time-limits.ts'

export const documentProcessingFinished = defineCheck({
  id: 'document-processing-finished',
  title: 'Every document finishes processing within 24 hours',
  failing: ['document is stuck in processing', 'documents are stuck in processing'],
  description:
    'No document has an uploadStatus of `statuses` (Processing by default) for longer than `hours`. The time starts when the mirror saw the document last leave a completed status (`statuses` of document-required-present, Completed by default); for a document that never had one, at the updatedAt (else createdAt) that was first mirrored.',
  risk: 'A document that is stuck in ingestion cannot be queried.',
  remediation: "Upload the document again, or ask the service's support about its ingestion.",
  alert: 'DocumentStuck',
  frameworks: 'soc2 CC2.1, iso27001 A.5.37',
  severities: ['medium'],
  evaluates: 'documents',
  notEvaluatedWhere: 'the upload status, or null, is not in documents.knownStatuses',
  timeBased: true,
  material: ['statusSince'],
  options: z.strictObject({ hours: hours(24), statuses: busyStatuses }),
  ruleContext: ({ knownDocumentStatuses, optionsOf }) => [[...knownDocumentStatuses].sort(), doneStatusesOf(optionsOf)],
  begin({ statuses: busy, hours }, { now, knownDocumentStatuses, optionsOf }) {
    const done = doneStatusesOf(optionsOf).filter((status) => !busy.includes(status))
    const known = [...knownDocumentStatuses, ...done]
    return withoutCompletion({
      severity: 'medium',
      done,
      hours,
      now,
      other(status) {
        if (isKnownWord(busy, status)) return null
        return isKnownWord(known, status) ? ok : { kind: 'not_evaluated' }
      },
      problem: (status, since, limit) =>
        `is ${status} and has been without a completed status since ${since}, for more than ${limit}`,
    })
  },
})
