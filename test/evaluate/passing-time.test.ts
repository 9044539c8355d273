import { expect, it } from 'vitest'
import { closeFindings } from '../../src/evaluate/check-result.ts'
import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts'
import { client, settings } from '../checks/support/facts.ts'
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

it('a check fails since it failed first, whatever it could not see meanwhile unless it was off, and passes since it was seen to', async () => {
  const off = { enabled: false }
  const others = { users: off, documents: off, roles: off, permissions: off, 'api-clients': off }
  const world = await sqliteWorld({ resources: { 'authentication-settings': { freshnessMs: 25 * hourMs }, ...others } })
  const sso = async (ssoEnforced: boolean | null) => {
    world.pass(2 * dayMs)
    if (ssoEnforced !== null) await world.sync({ 'authentication-settings': [settings({ ssoEnforced })] })
    await world.evaluate()
    const { checks } = await world.posture()
    const { status, since } = checks.find(({ check }) => check === 'auth-sso-enforced') ?? {}
    return [status, Math.round(((since ?? 0) - world.now) / dayMs)]
  }
  expect(await sso(false)).toEqual(['fail', 0])
  expect(await sso(null)).toEqual(['unknown', 0])
  expect(await sso(false)).toEqual(['fail', -4])
  const { mirror, tenantId, now } = world
  await closeFindings(mirror, tenantId, { now, isKept: () => false, resolution: 'check_disabled' })
  expect(await sso(false)).toEqual(['fail', 0])
  expect(await sso(true)).toEqual(['pass', 0])
  expect(await sso(null)).toEqual(['unknown', 0])
  expect(await sso(true)).toEqual(['pass', 0])
})
