import * as z from 'zod'
import { dayMs } from '../model/time.ts'
import { defineCheck } from './support/define-check.ts'
import { lastTouched } from './support/documents.ts'
import { counted, documentFacts, timeOf } from './support/records.ts'
import { days, isOlderThan, olderFrom } from './support/time-limits.ts'

export const documentCurrent = defineCheck({
  id: 'document-current',
  title: 'Every document was uploaded or updated within the last 365 days',
  failing: ['document is out of date', 'documents are out of date'],
  description: 'No document was last uploaded or updated (updatedAt, else createdAt) more than `days` ago.',
  risk: 'Policies and evidence that nobody reviews no longer match practice.',
  remediation: 'Review the document and upload its current version, or remove it.',
  alert: 'DocumentOutdated',
  frameworks: 'soc2 CC2.1 CC5.3, iso27001 A.5.1 A.5.37, nist80053 AC-1, pcidss 12.1.2',
  severities: ['medium'],
  evaluates: 'documents',
  timeBased: true,
  material: ['createdAt', 'updatedAt'],
  options: z.strictObject({ days: days(365) }),
  begin: ({ days: most }, { now }) => ({
    record(document) {
      const touchedAt = timeOf(document, 'touchedAtMs')
      if (!isOlderThan(touchedAt, most * dayMs, now)) return { kind: 'ok', until: olderFrom(touchedAt, most * dayMs) }
      return {
        kind: 'fails',
        severity: 'medium',
        message: `Document ${document.key} ${lastTouched(document)}, more than ${counted(most, 'day')} ago.`,
        evidence: { ...documentFacts(document), thresholdDays: most },
      }
    },
  }),
})
