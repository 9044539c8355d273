import { apiClientSecretNotExpired as check } from '../../src/checks/api-client-secret-not-expired.ts'
import { itFinds } from './support/evaluator.ts'
import { client, iso, now } from './support/facts.ts'

const expiring = (ms: number, fields = {}) => ({
  'api-clients': [client({ secretExpirationDate: iso(ms), ...fields })],
})
const evidence = { clientId: 'ABC', requestId: 'req-1', readAt: iso(now) }

itFinds(check, [
  ['a secret that expired a day ago', expiring(now - 86_400_000), ['c1 critical'], { population: 1 }],
  ['one that expires at this very instant', expiring(now), ['c1 critical']],
  ['one that expires in a millisecond', expiring(now + 1), [], { population: 1 }],
  ['a client whose id has capitals', expiring(now - 1, { clientId: 'ABC' }), ['abc critical'], { evidence }],
])
