import { expect, it } from 'vitest'
import { apiClientSecretLifetime as check } from '../../src/checks/api-client-secret-lifetime.ts'
import { apiClientSecretNotExpired } from '../../src/checks/api-client-secret-not-expired.ts'
import { apiClientSecretNotExpiring } from '../../src/checks/api-client-secret-not-expiring.ts'
import { dayMs } from '../../src/model/durations.ts'
import { brief, evaluator, iso, now } from './support/evaluator.ts'
import { client } from './support/facts.ts'

it.each([
  ['365 days', 365 * dayMs, {}, []],
  ['a millisecond more than 365 days', 365 * dayMs + 1, {}, ['c1 low']],
  ['91 of at most 90 days', 91 * dayMs, { days: 90 }, ['c1 low']],
])('evaluates a secret that stays valid for %s', async (_time, offset, options, expected) => {
  const secretExpirationDate = iso(now + offset)
  const result = await evaluator(check, (mirror) => mirror.put('api-clients', client({ secretExpirationDate })), {
    options,
  })
  expect(brief(result)).toEqual(expected)
})

it.each([
  ['fails', ['c1 low']],
  ['passes', []],
])('a secret without an end %s by configuration, and neither expires nor will', async (unlimited, expected) => {
  const endless = client({ secretExpirationDate: null })
  const found = async (one: typeof check, options = {}) =>
    brief(await evaluator(one, (mirror) => mirror.put('api-clients', endless), { options }))
  expect(await found(check, { unlimited })).toEqual(expected)
  expect([await found(apiClientSecretNotExpired), await found(apiClientSecretNotExpiring)]).toEqual([[], []])
})

it('finds a secret without a real expiry', async () => {
  const secretExpirationDate = '9999-12-31T23:59:59.9999999'
  const { failures } = await evaluator(check, (mirror) => mirror.put('api-clients', client({ secretExpirationDate })))
  expect(failures[0]?.message).toContain('is valid until 9999-12-31 23:59 UTC, more than 365 days from now.')
})
