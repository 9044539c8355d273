import { expect, it } from 'vitest'
import { apiClientSecretNotExpired as check } from '../../src/checks/api-client-secret-not-expired.ts'
import { brief, evaluator, iso, now } from './support/evaluator.ts'
import { client } from './support/facts.ts'

const expiring = (ms: number, fields = {}) => client({ secretExpirationDate: iso(ms), ...fields })

it.each([
  ['a day ago', -86_400_000, ['c1 critical']],
  ['at this very instant', 0, ['c1 critical']],
  ['a millisecond from now', 1, []],
])('evaluates a secret that expires %s', async (_when, offset, expected) => {
  const result = await evaluator(check, (mirror) => mirror.put('api-clients', expiring(now + offset)))
  expect(brief(result)).toEqual(expected)
  expect(result.population).toBe(1)
})

it('names the client, the date and the request', async () => {
  const fields = { clientId: 'ABC', secretExpirationDate: '2026-02-28T09:30:00Z' }
  const { failures } = await evaluator(check, (mirror) => mirror.put('api-clients', client(fields)))
  expect(failures[0]?.entityId).toBe('abc')
  expect(failures[0]?.message).toBe('The secret of API client "CI sync" (abc) expired on 2026-02-28 09:30 UTC.')
  expect(failures[0]?.evidence).toMatchObject({ clientId: 'ABC', requestId: 'req-1', readAt: iso(now) })
})
