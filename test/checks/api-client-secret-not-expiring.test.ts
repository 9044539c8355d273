import { expect, it } from 'vitest'
import { apiClientSecretNotExpiring as check } from '../../src/checks/api-client-secret-not-expiring.ts'
import { dayMs } from '../../src/model/durations.ts'
import { brief, evaluator, iso, now } from './support/evaluator.ts'
import { client } from './support/facts.ts'

it.each([
  ['expired at this very instant', 0, {}, []],
  ['expires in a millisecond', 1, {}, ['c1 high']],
  ['expires in exactly 7 days', 7 * dayMs, {}, ['c1 high']],
  ['expires a millisecond after 7 days', 7 * dayMs + 1, {}, ['c1 medium']],
  ['expires in exactly 30 days', 30 * dayMs, {}, ['c1 medium']],
  ['expires a millisecond after 30 days', 30 * dayMs + 1, {}, []],
  ['expires in 30 days of a limit of 90', 30 * dayMs, { days: 90, highDays: 30 }, ['c1 high']],
  ['expires in 90 days of a limit of 90', 90 * dayMs, { days: 90, highDays: 30 }, ['c1 medium']],
])('evaluates a secret that %s', async (_when, offset, options, expected) => {
  const secretExpirationDate = iso(now + offset)
  const result = await evaluator(check, (mirror) => mirror.put('api-clients', client({ secretExpirationDate })), {
    options,
  })
  expect(brief(result)).toEqual(expected)
})

it('keeps its message from one day to the next', async () => {
  const fill = (mirror: { put: (resource: 'api-clients', fields: Record<string, unknown>) => unknown }) =>
    void mirror.put('api-clients', client({ secretExpirationDate: iso(now + 20 * dayMs) }))
  const [today, tomorrow] = [await evaluator(check, fill), await evaluator(check, fill, { at: now + dayMs })]
  expect(today.failures[0]?.message).toBe(
    'The secret of API client "CI sync" (c1) expires on 2026-03-21 12:00 UTC, within 30 days.',
  )
  expect(tomorrow.failures).toEqual(today.failures)
})

it('does not apply to a client whose secret has expired, so that the finding does not end as fixed', async () => {
  const { scope } = await evaluator(check, (mirror) => {
    mirror.put('api-clients', client({ secretExpirationDate: iso(now) }))
    mirror.put('api-clients', client({ clientId: 'c2' }))
  })
  expect([await scope('c1'), await scope('c2')]).toEqual(['not_applicable', 'evaluated'])
})
