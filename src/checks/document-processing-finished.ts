import { z } from 'zod'
import { defineCheck } from '../evaluate/check.ts'
import { toIso } from '../model/dates.ts'
import { hourMs } from '../model/durations.ts'
import { isOlderThan, olderThan } from './support/older-than.ts'
import { hours } from './support/options.ts'
import { factsOf, timeOf } from './support/records.ts'
import { counted, onDate } from './support/words.ts'

export const documentProcessingFinished = defineCheck({
  id: 'document-processing-finished',
  title: 'Every document finishes processing within 24 hours',
  description: 'No document has the uploadStatus Processing for longer than `hours`.',
  risk: 'A document that is stuck in ingestion cannot be queried: the evidence it holds is not in use.',
  remediation: "Upload the document again, or ask the service's support about its ingestion.",
  alert: { name: 'DocumentStuck', says: 'Documents stuck in processing' },
  severities: ['medium'],
  judges: 'documents',
  needs: [],
  entity: { type: 'document', isRecord: true, hasPlainIds: true },
  timeBased: true,
  material: ['statusSince'],
  options: z.strictObject({ hours: hours(24) }),
  async load(reader, options, now) {
    const stuck = { field: 'uploadStatus', is: 'Processing' } as const
    return {
      population: await reader.count('documents'),
      candidates: reader.select('documents', { all: [stuck, olderThan('statusSince', options.hours * hourMs, now)] }),
    }
  },
  evaluate(document, options, now) {
    const since = timeOf(document, 'statusSince')
    if (!isOlderThan(since, options.hours * hourMs, now)) return null
    const limit = counted(options.hours, 'hour')
    return {
      entityId: document.key,
      severity: 'medium',
      message: `Document ${document.key} has been Processing since ${onDate(since)}, for more than ${limit}.`,
      evidence: {
        ...factsOf(document, ['fileId', 'filename', 'uploadStatus', 'createdAt', 'updatedAt']),
        statusSince: toIso(since),
        thresholdHours: options.hours,
      },
    }
  },
})
