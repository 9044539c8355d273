import * as z from 'zod'
import { defineCheck } from '../evaluate/check.ts'
import { toIso } from '../model/dates.ts'
import { hourMs } from '../model/durations.ts'
import { factsOf, textOf } from './support/records.ts'
import { sinceByHistory } from './support/status-since.ts'
import { doneStatusesOf } from './support/statuses.ts'
import { hours, isOlderThan } from './support/time-limits.ts'
import { counted, onDate, quoted } from './support/words.ts'

export const documentStatusKnown = defineCheck({
  id: 'document-status-known',
  title: 'Every document has a known upload status within 24 hours',
  description:
    'No document has an uploadStatus outside `documents.knownStatuses` for longer than `hours`; null is unknown unless that list contains it. The time starts as in document-processing-finished.',
  risk: 'It is unclear whether the document is in use or its upload failed.',
  remediation:
    'Look the document up in the portal; add a legitimate status to `documents.knownStatuses` and to `statuses` of document-processing-finished (busy) or document-required-present (finished).',
  alert: {
    name: 'DocumentStatusUnknown',
    summary: { one: 'document has no known upload status', other: 'documents have no known upload status' },
  },
  frameworks: ['soc2 CC2.1', 'iso27001 A.5.37'],
  severities: ['low'],
  evaluates: 'documents',
  needs: [],
  entity: { type: 'document', isRecord: true, hasPlainIds: true },
  timeBased: true,
  material: ['uploadStatus'],
  options: z.strictObject({ hours: hours(24) }),
  ruleContext: ({ knownDocumentStatuses, optionsOf }) => [[...knownDocumentStatuses].sort(), doneStatusesOf(optionsOf)],
  async load(reader, _options, now, { knownDocumentStatuses, optionsOf }) {
    const unknown = reader.select('documents', {
      anyOf: [
        ...(knownDocumentStatuses.includes(null) ? [] : [[{ field: 'uploadStatus', is: null } as const]]),
        [
          { field: 'uploadStatus', not: null },
          { field: 'uploadStatus', notIn: knownDocumentStatuses.filter((status) => status !== null) },
        ],
      ],
    })
    return {
      population: await reader.count('documents'),
      candidates: sinceByHistory(reader, unknown, doneStatusesOf(optionsOf), now),
    }
  },
  evaluate({ document, since }, options, now) {
    if (!isOlderThan(since, options.hours * hourMs, now)) return null
    const status = textOf(document, 'uploadStatus')
    const present = status === null ? 'null' : quoted(status)
    const limit = counted(options.hours, 'hour')
    return {
      entityId: document.key,
      severity: 'low',
      message: `Document ${document.key} has the unknown upload status ${present} and has been without a completed one since ${onDate(since)} (limit ${limit}).`,
      evidence: {
        ...factsOf(document, ['fileId', 'filename', 'uploadStatus', 'createdAt', 'updatedAt']),
        statusSince: toIso(since),
        thresholdHours: options.hours,
      },
    }
  },
})
