import { z } from 'zod'
import { defineCheck } from '../evaluate/check.ts'
import { toIso } from '../model/dates.ts'
import { hourMs } from '../model/durations.ts'
import { isOlderThan, olderThan } from './support/older-than.ts'
import { hours } from './support/options.ts'
import { factsOf, mapBatches, timeOf } from './support/records.ts'
import { withStatusSince } from './support/status-since.ts'
import { inStatus, statuses, statusWords } from './support/statuses.ts'
import { counted, onDate } from './support/words.ts'

export const documentProcessingFinished = defineCheck({
  id: 'document-processing-finished',
  title: 'Every document finishes processing within 24 hours',
  description:
    'No document has for longer than `hours` an uploadStatus that means that it is still processed: `statuses`, Processing by default.',
  risk: 'A document that is stuck in ingestion cannot be queried: the evidence it holds is not in use.',
  remediation: "Upload the document again, or ask the service's support about its ingestion.",
  alert: { name: 'DocumentStuck', says: 'Documents stuck in processing' },
  severities: ['medium'],
  judges: 'documents',
  needs: [],
  entity: { type: 'document', isRecord: true, hasPlainIds: true },
  timeBased: true,
  material: ['statusSince'],
  options: z.strictObject({ hours: hours(24), statuses: statuses('Processing') }),
  async load(reader, options, now) {
    const busy: ReadonlySet<unknown> = new Set(options.statuses)
    // Of one status the mirror's own time tells it all, by an index; of several, one may have followed another.
    const isOne = busy.size === 1
    const old = isOne ? [olderThan('statusSince', options.hours * hourMs, now)] : []
    const stuck = reader.select('documents', { all: old, anyOf: inStatus(options.statuses) })
    return {
      population: await reader.count('documents'),
      candidates: isOne
        ? mapBatches(stuck, (document) => ({ document, since: timeOf(document, 'statusSince') }))
        : withStatusSince(reader, stuck, (status) => busy.has(status)),
    }
  },
  evaluate({ document, since }, options, now) {
    if (!isOlderThan(since, options.hours * hourMs, now)) return null
    const limit = counted(options.hours, 'hour')
    return {
      entityId: document.key,
      severity: 'medium',
      message: `Document ${document.key} has been ${statusWords(options.statuses)} since ${onDate(since)}, for more than ${limit}.`,
      evidence: {
        ...factsOf(document, ['fileId', 'filename', 'uploadStatus', 'createdAt', 'updatedAt']),
        statusSince: toIso(since),
        thresholdHours: options.hours,
      },
    }
  },
})
