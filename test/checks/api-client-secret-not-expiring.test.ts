import { expect, it } from 'vitest'
import { apiClientSecretNotExpiring as check } from '../../src/checks/api-client-secret-not-expiring.ts'
import { dayMs } from '../../src/model/time.ts'
import { evaluator, itFinds } from './support/evaluator.ts'
import { client, iso, now } from './support/facts.ts'

const within = (ms: number) => ({ 'api-clients': [client({ secretExpirationDate: iso(now + ms) })] })
const options = { days: 90, highDays: 30 }

itFinds(check, [
  // A secret that has expired does not end the finding as fixed.
  ['a secret that expired at this very instant', within(0), [], { scope: { c1: 'not_applicable' } }],
  ['one that expires in a millisecond', within(1), ['c1 high']],
  ['one that expires in exactly 7 days', within(7 * dayMs), ['c1 high']],
  ['one that expires a millisecond later', within(7 * dayMs + 1), ['c1 medium']],
  ['one that expires in exactly 30 days', within(30 * dayMs), ['c1 medium']],
  ['one that expires a millisecond after 30 days', within(30 * dayMs + 1), [], { scope: { c1: 'evaluated' } }],
  ['30 days of a limit of 90', within(30 * dayMs), ['c1 high'], { options }],
  ['90 days of a limit of 90', within(90 * dayMs), ['c1 medium'], { options }],
])

it('keeps its message and evidence from one day to the next', async () => {
  const [today, tomorrow] = await Promise.all(
    [now, now + dayMs].map((at) => evaluator(check, within(20 * dayMs), { at })),
  )
  expect(tomorrow?.failures).toEqual(today?.failures)
})
