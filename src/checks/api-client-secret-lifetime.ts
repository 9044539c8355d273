import * as z from 'zod'
import { ok } from '../evaluate/check.ts'
import { dayMs } from '../model/time.ts'
import { defineCheck } from './support/define-check.ts'
import { counted, expiryOf, onDate, secretFacts } from './support/records.ts'
import { clientTitle } from './support/roles.ts'
import { days, withinFrom } from './support/time-limits.ts'

export const apiClientSecretLifetime = defineCheck({
  id: 'api-client-secret-lifetime',
  title: 'No API client secret is valid for more than 365 days from now',
  failing: ['API client secret is valid for too long', 'API client secrets are valid for too long'],
  description:
    'No secretExpirationDate lies further ahead than `days` (365 by default). A secret without an end (null) fails unless `unlimited` is `passes`.',
  risk: 'A long-lived secret stays usable long after it has leaked.',
  remediation: 'Replace the secret with one that expires sooner.',
  alert: 'SecretTooLong',
  frameworks: 'soc2 CC6.1, iso27001 A.5.17, nist80053 IA-5, pcidss 8.6.3',
  severities: ['low'],
  evaluates: 'api-clients',
  timeBased: true,
  material: ['secretExpirationDate'],
  options: z.strictObject({ days: days(365), unlimited: z.enum(['fails', 'passes']).default('fails') }),
  begin: ({ days: most, unlimited }, { now }) => ({
    record(client) {
      const expires = expiryOf(client)
      if (expires === null ? unlimited === 'passes' : expires - now <= most * dayMs) return ok
      const ends =
        expires === null
          ? 'never expires'
          : `is valid until ${onDate(expires)}, more than ${counted(most, 'day')} from now`
      return {
        kind: 'fails',
        ...(expires !== null && { until: withinFrom(expires, most * dayMs) }),
        severity: 'low',
        message: `The secret of ${clientTitle(client)} ${ends}.`,
        evidence: { ...secretFacts(client), thresholdDays: most },
      }
    },
  }),
})
