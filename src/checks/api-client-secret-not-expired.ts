import { ok } from '../evaluate/check.ts'
import { defineCheck } from './support/define-check.ts'
import { expiryOf, onDate, secretFacts } from './support/records.ts'
import { clientTitle } from './support/roles.ts'

export const apiClientSecretNotExpired = defineCheck({
  id: 'api-client-secret-not-expired',
  title: 'No API client secret has expired',
  failing: ['API client secret has expired', 'API client secrets have expired'],
  description: 'The secretExpirationDate of every API client lies in the future, or is null.',
  risk: 'An integration whose secret has expired no longer works; a client that nobody renews is probably forgotten.',
  remediation: 'Issue a new secret in the portal and hand it to the integration, or delete the API client.',
  alert: null,
  frameworks: 'soc2 CC6.1, iso27001 A.5.17, nist80053 IA-5, pcidss 8.6.3',
  severities: ['critical'],
  evaluates: 'api-clients',
  timeBased: true,
  material: ['secretExpirationDate'],
  begin: (_options, { now }) => ({
    record(client) {
      const expires = expiryOf(client)
      if (expires === null) return ok
      if (expires > now) return { kind: 'ok', until: expires }
      return {
        kind: 'fails',
        severity: 'critical',
        message: `The secret of ${clientTitle(client)} expired on ${onDate(expires)}.`,
        evidence: secretFacts(client),
      }
    },
  }),
})
