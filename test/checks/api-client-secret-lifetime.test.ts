import { apiClientSecretLifetime as check } from '../../src/checks/api-client-secret-lifetime.ts'
import { apiClientSecretNotExpired } from '../../src/checks/api-client-secret-not-expired.ts'
import { apiClientSecretNotExpiring } from '../../src/checks/api-client-secret-not-expiring.ts'
import { dayMs } from '../../src/model/time.ts'
import { itFinds } from './support/evaluator.ts'
import { client, iso, now } from './support/facts.ts'

const until = (secretExpirationDate: string | null) => ({ 'api-clients': [client({ secretExpirationDate })] })

itFinds(check, [
  ['a secret that stays valid for 365 days', until(iso(now + 365 * dayMs)), []],
  ['one that stays valid for a millisecond more', until(iso(now + 365 * dayMs + 1)), ['c1 low']],
  ['91 of at most 90 days', until(iso(now + 91 * dayMs)), ['c1 low'], { options: { days: 90 } }],
  ['a secret without a real expiry', until('9999-12-31T23:59:59.9999999'), ['c1 low']],
  ['a secret without an end, which fails', until(null), ['c1 low'], { options: { unlimited: 'fails' } }],
  ['a secret without an end, which passes', until(null), [], { options: { unlimited: 'passes' } }],
])

for (const one of [apiClientSecretNotExpired, apiClientSecretNotExpiring])
  itFinds(one, [['a secret without an end, which neither expires nor will', until(null), []]])
