import * as z from 'zod'
import { defineCheck } from '../evaluate/check.ts'
import { toIso } from '../model/dates.ts'
import { hourMs } from '../model/durations.ts'
import { factsOf, textOf } from './support/records.ts'
import { sinceByHistory, sinceByMirror } from './support/status-since.ts'
import { busyStatuses, doneStatusesOf, inStatus, isDoneByMirror, statusWords } from './support/statuses.ts'
import { hours, isOlderThan, olderThan } from './support/time-limits.ts'
import { counted, onDate } from './support/words.ts'

export const documentProcessingFinished = defineCheck({
  id: 'document-processing-finished',
  title: 'Every document finishes processing within 24 hours',
  description:
    'No document has an uploadStatus of `statuses` (Processing by default) for longer than `hours`. The time starts when the document last left a completed status (`statuses` of document-required-present, Completed by default); for a document that never had one, at the updatedAt (else createdAt) that was first mirrored.',
  risk: 'A document that is stuck in ingestion cannot be queried.',
  remediation: "Upload the document again, or ask the service's support about its ingestion.",
  alert: {
    name: 'DocumentStuck',
    summary: { one: 'document is stuck in processing', other: 'documents are stuck in processing' },
  },
  frameworks: ['soc2 CC2.1', 'iso27001 A.5.37'],
  severities: ['medium'],
  evaluates: 'documents',
  needs: [],
  entity: { type: 'document', isRecord: true, hasPlainIds: true },
  timeBased: true,
  material: ['statusSince'],
  options: z.strictObject({ hours: hours(24), statuses: busyStatuses }),
  ruleContext: ({ optionsOf }) => doneStatusesOf(optionsOf),
  async load(reader, { statuses: busy, hours }, now, { optionsOf }) {
    const done = doneStatusesOf(optionsOf).filter((status) => !busy.includes(status))
    // `statusSince` of the mirror is indexed, but it only knows the default statuses.
    const byMirror = isDoneByMirror(done) && busy.length === 1
    const old = byMirror ? [olderThan('statusSince', hours * hourMs, now)] : []
    const stuck = reader.select('documents', { all: old, anyOf: inStatus(busy) })
    return {
      population: await reader.count('documents'),
      candidates: byMirror ? sinceByMirror(stuck) : sinceByHistory(reader, stuck, done, now),
    }
  },
  evaluate({ document, since }, options, now) {
    if (!isOlderThan(since, options.hours * hourMs, now)) return null
    const status = statusWords([textOf(document, 'uploadStatus')])
    const limit = counted(options.hours, 'hour')
    return {
      entityId: document.key,
      severity: 'medium',
      message: `Document ${document.key} is ${status} and has been without a completed status since ${onDate(since)}, for more than ${limit}.`,
      evidence: {
        ...factsOf(document, ['fileId', 'filename', 'uploadStatus', 'createdAt', 'updatedAt']),
        statusSince: toIso(since),
        thresholdHours: options.hours,
      },
    }
  },
})
