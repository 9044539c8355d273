import { z } from 'zod'
import { defineCheck } from '../evaluate/check.ts'
import { toIso } from '../model/dates.ts'
import { hourMs } from '../model/durations.ts'
import { isOlderThan } from './support/older-than.ts'
import { hours } from './support/options.ts'
import { factsOf, textOf, timeOf } from './support/records.ts'
import { withStatusSince } from './support/status-since.ts'
import { counted, onDate, quoted } from './support/words.ts'

export const documentStatusKnown = defineCheck({
  id: 'document-status-known',
  title: 'Every document has a known upload status within 24 hours',
  description:
    'No document has for longer than `hours` an uploadStatus that is not one of `documents.knownStatuses`; null counts as unknown unless it is in that list.',
  risk: 'Nobody can tell whether the document is in use, or failed on the way.',
  remediation: 'Look the document up in the portal; add a legitimate status to `documents.knownStatuses`.',
  alert: { name: 'DocumentStatusUnknown', says: 'Documents without a known upload status' },
  severities: ['low'],
  judges: 'documents',
  needs: [],
  entity: { type: 'document', isRecord: true, hasPlainIds: true },
  timeBased: true,
  material: ['uploadStatus'],
  options: z.strictObject({ hours: hours(24) }),
  ruleContext: ({ knownDocumentStatuses }) => [...knownDocumentStatuses].sort(),
  async load(reader, _options, _now, { knownDocumentStatuses }) {
    const unknown = reader.select('documents', {
      anyOf: [
        ...(knownDocumentStatuses.includes(null) ? [] : [[{ field: 'uploadStatus', is: null }]]),
        [
          { field: 'uploadStatus', not: null },
          { field: 'uploadStatus', notIn: knownDocumentStatuses.filter((status) => status !== null) },
        ],
      ],
    })
    const isKnown = (status: unknown) => knownDocumentStatuses.some((known) => known === status)
    return {
      population: await reader.count('documents'),
      candidates: withStatusSince(reader, unknown, (status) => !isKnown(status)),
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
      message: `Document ${document.key} has been without a known upload status since ${onDate(since)}, for more than ${limit}; it is ${present}.`,
      evidence: {
        ...factsOf(document, ['fileId', 'filename', 'uploadStatus', 'createdAt', 'updatedAt']),
        statusSince: toIso(timeOf(document, 'statusSince')),
        unknownSince: toIso(since),
        thresholdHours: options.hours,
      },
    }
  },
})
