import { expect, it } from 'vitest'
import { dayMs, hourMs } from '../../src/model/durations.ts'
import { settings } from '../checks/support/facts.ts'
import { sqliteWorld } from './support/sqlite-world.ts'

const off = { enabled: false }

it('a check fails since it failed first, whatever it could not see meanwhile, and passes since it was seen to', async () => {
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
  expect(await sso(true)).toEqual(['pass', 0])
  expect(await sso(null)).toEqual(['unknown', 0])
  expect(await sso(true)).toEqual(['pass', 0])
})
