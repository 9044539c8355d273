import * as z from 'zod'
import { type Outcome, ok } from '../evaluate/check.ts'
import { dayMs } from '../model/time.ts'
import { defineCheck } from './support/define-check.ts'
import { counted, expiryOf, onDate, secretFacts } from './support/records.ts'
import { clientTitle } from './support/roles.ts'
import { days, withinFrom } from './support/time-limits.ts'

export const apiClientSecretNotExpiring = defineCheck({
  id: 'api-client-secret-not-expiring',
  title: 'No API client secret expires soon',
  failing: ['API client secret expires soon', 'API client secrets expire soon'],
  description:
    'Every secret that has not expired is valid for longer than `days` from now; `highDays` raises the severity.',
  risk: 'The integration fails on the day its secret expires.',
  remediation: 'Issue a new secret in the portal before the expiry and hand it to the integration.',
  alert: null,
  frameworks: 'soc2 CC6.1, iso27001 A.5.17, nist80053 IA-5, pcidss 8.6.3',
  severities: ['medium', 'high'],
  evaluates: 'api-clients',
  timeBased: true,
  material: ['secretExpirationDate'],
  options: z.strictObject({ days: days(30), highDays: days(7) }),
  alertThresholds: ({ days: most, highDays }) => ({
    medium: Math.max(most, highDays) * dayMs,
    high: highDays * dayMs,
  }),
  begin(options, { now }) {
    const mostMs = Math.max(options.days, options.highDays) * dayMs
    const highMs = options.highDays * dayMs
    return {
      record(client) {
        const expires = expiryOf(client)
        if (expires === null) return ok
        const remaining = expires - now
        if (remaining <= 0) return expired
        if (remaining > mostMs) return { kind: 'ok', until: withinFrom(expires, mostMs) }
        const isHigh = remaining <= highMs
        const threshold = isHigh ? options.highDays : options.days
        return {
          kind: 'fails',
          until: isHigh ? expires : withinFrom(expires, highMs),
          severity: isHigh ? 'high' : 'medium',
          message: `The secret of ${clientTitle(client)} expires on ${onDate(expires)}, within ${counted(threshold, 'day')}.`,
          evidence: { ...secretFacts(client), thresholdDays: threshold },
        }
      },
    }
  },
})

const expired: Outcome = { kind: 'ok', resolution: 'not_applicable' }
