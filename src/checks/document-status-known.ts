import * as z from 'zod'
import { ok } from '../evaluate/check.ts'
import { isKnownWord } from '../model/text/words.ts'
import { defineCheck } from './support/define-check.ts'
import { doneStatusesOf, withoutCompletion } from './support/documents.ts'
import { quoted } from './support/records.ts'
import { hours } from './support/time-limits.ts'

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
  frameworks: 'soc2 CC2.1, iso27001 A.5.37',
  severities: ['low'],
  evaluates: 'documents',
  timeBased: true,
  material: ['uploadStatus'],
  options: z.strictObject({ hours: hours(24) }),
  ruleContext: ({ knownDocumentStatuses, optionsOf }) => [[...knownDocumentStatuses].sort(), doneStatusesOf(optionsOf)],
  begin: ({ hours }, { now, knownDocumentStatuses, optionsOf }) =>
    withoutCompletion({
      severity: 'low',
      done: doneStatusesOf(optionsOf),
      hours,
      now,
      other: (status) => (isKnownWord(knownDocumentStatuses, status) ? ok : null),
      problem: (status, since, limit) =>
        `has the unknown upload status ${status === null ? 'null' : quoted(status)} and has been without a completed one since ${since} (limit ${limit})`,
    }),
})
