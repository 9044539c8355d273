import { expect, it } from 'vitest'
import { dayMs, minuteMs } from '../../src/model/durations.ts'
import { client } from '../checks/support/facts.ts'
import { sqliteWorld } from './support/sqlite-world.ts'

const iso = (ms: number) => new Date(ms).toISOString()
const clientId = (n: number) => `00000000-0000-4000-8000-00000000000${n}`

it('confirms a result no longer than it looked ahead: a secret that expires after the engine stopped does not pass', async () => {
  const check = 'api-client-secret-not-expired'
  const world = await sqliteWorld()
  const expiresAt = world.now + 27 * minuteMs
  await world.sync({ 'api-clients': [client({ clientId: clientId(1), secretExpirationDate: iso(expiresAt) })] })
  // The engine evaluates each minute, and ends two minutes before the expiry.
  while (world.now < expiresAt - 2 * minuteMs) {
    world.pass(minuteMs)
    await world.evaluate()
  }
  expect(await world.counts(check)).toMatchObject({ status: 'pass' })
  world.pass(expiresAt - world.now - 1)
  expect(await world.counts(check)).toMatchObject({ status: 'pass' })
  world.pass(1)
  expect(await world.counts(check)).toMatchObject({ status: 'unknown' })
})

it('notices that one client becomes urgent at the instant another one leaves the check', async () => {
  const check = 'api-client-secret-not-expiring'
  const world = await sqliteWorld()
  const at = world.now + 12 * minuteMs
  const expiries = [at, at + 7 * dayMs, at + 30 * dayMs]
  await world.sync({
    'api-clients': expiries.map((ms, n) => client({ clientId: clientId(n), secretExpirationDate: iso(ms) })),
  })
  await world.evaluate()
  const bySeverity = async () => (await world.counts(check)).open
  expect(await bySeverity()).toEqual({ high: 1, medium: 1 })
  world.pass(at - world.now)
  await world.evaluate()
  const found = await world.findings(check)
  expect(Object.fromEntries(found.map(({ entity, severity }) => [entity.id, severity]))).toEqual({
    [clientId(1)]: 'high',
    [clientId(2)]: 'medium',
  })
})
