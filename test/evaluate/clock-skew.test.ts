import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import { Evaluator } from '../../src/daemon/evaluator.ts'
import type { EvaluatedTenant } from '../../src/evaluate/data-quality.ts'
import { readPosture } from '../../src/evaluate/read-posture.ts'
import type { Metrics } from '../../src/metrics/metrics.ts'
import { silentLog } from '../../src/model/log.ts'
import { resourceNames } from '../../src/model/resource-names.ts'
import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts'
import { onlyStore } from '../../src/store/tenant-stores.ts'
import { client, iso, now } from '../checks/support/facts.ts'
import type { TestEngine } from '../support/engine.ts'
import { synced } from '../support/sync-queries.ts'
import { evaluate, lifeOf, resync, soundWorld } from './support/evaluating.ts'

const expired = 'api-client-secret-not-expired'

it.each([hourMs, -hourMs])('opens no time-based finding while the clocks differ by %i ms', async (skewMs) => {
  const world = await soundWorld()
  await world.put('api-clients', client({ secretExpirationDate: iso(now - 1) }))
  world.skew(skewMs)
  const outcomes = await evaluate(world)
  expect(outcomes.get(expired)).toMatchObject({ status: 'unknown', reason: 'clock_skew', opened: 0 })
  expect(await lifeOf(world, expired)).toEqual({})
  resync(world, now)
  expect((await evaluate(world)).get(expired)).toMatchObject({ status: 'fail', opened: 1 })
})

it('leaves an open time-based finding as it is while the clocks differ, and the check failing', async () => {
  const world = await soundWorld()
  await world.put('api-clients', client({ secretExpirationDate: iso(now + 20 * dayMs) }))
  await evaluate(world)
  const before = await world.findings()
  resync(world, now + 14 * dayMs)
  world.skew(-14 * dayMs)
  const outcomes = await evaluate(world, { at: now + 14 * dayMs })
  expect(outcomes.get('api-client-secret-not-expiring')).toMatchObject({ status: 'fail', opened: 0 })
  expect(await world.findings()).toEqual(before)
})

it('without a readable server time, opens time-based findings but resolves none and does not pass', async () => {
  const world = await soundWorld()
  await world.put('api-clients', client({ secretExpirationDate: iso(now - 1) }))
  for (const name of resourceNames) world.set(name, { server_time: null })
  expect((await evaluate(world)).get(expired)).toMatchObject({ status: 'fail', opened: 1 })
  await world.put('api-clients', client({ secretExpirationDate: iso(now + 100 * dayMs) }))
  expect((await evaluate(world)).get(expired)).toMatchObject({ status: 'unknown', reason: 'clock_skew' })
  expect(await lifeOf(world, expired)).toEqual({ c1: 'open' })
  resync(world, now)
  expect((await evaluate(world)).get(expired)).toMatchObject({ status: 'pass' })
  expect(await lifeOf(world, expired)).toEqual({ c1: 'fixed' })
})

it.each(['server_time', 'complete_server_time'])(
  'does not pass checks over a resource whose %s is behind, and affects no others',
  async (column) => {
    const world = await soundWorld()
    world.set('authentication-settings', { [column]: now - 301_000 })
    const outcomes = await evaluate(world)
    expect(outcomes.get('auth-sso-enforced')).toMatchObject({ status: 'unknown', reason: 'clock_skew' })
    expect(outcomes.get('api-client-role-active')?.reason).not.toBe('clock_skew')
    resync(world, now)
    expect((await evaluate(world)).get('auth-sso-enforced')).toMatchObject({ status: 'pass' })
  },
)

function evaluatedOf(test: TestEngine, live: boolean): EvaluatedTenant {
  const evaluated = { id: test.engine.tenantId, settings: test.settings }
  return live ? { ...evaluated, skewOf: (resource) => test.client.answerTimes.skewMs(resource) } : evaluated
}

async function seen(test: TestEngine, live: boolean) {
  const tenant = evaluatedOf(test, live)
  const request = { store: test.mirror, checks, waivers: [], now: test.clock.now(), evaluateIntervalMs: minuteMs }
  const posture = await readPosture({ ...request, tenant })
  const status = posture.checks.find(({ check }) => check === expired)
  return [posture.clockSkewMs, status?.reason ?? status?.status]
}

it.each([-2 * minuteMs, 10 * minuteMs, -10 * minuteMs, 500 * dayMs])(
  'a local clock that jumps by %i ms with the tenant dark shows at once, and to the next process too',
  async (jump) => {
    const test = await synced()
    const metrics = { count() {} } as unknown as Metrics
    const evaluator = new Evaluator({ stores: onlyStore(test.mirror), metrics, clock: test.clock, log: silentLog() })
    for (const result of await test.runAll('full')) expect(result.reason).toBeNull()
    await evaluator.evaluate(evaluatedOf(test, true))
    const [, before] = await seen(test, true)
    const opened = test.query('select count(*) as n from findings')
    test.clock.jump(jump)
    const [skewMs, status] = await seen(test, true)
    expect(skewMs).toBe(-jump)
    if (Math.abs(jump) < 5 * minuteMs) expect(status).toBe(before)
    else expect(['clock_skew', 'stale', 'fail']).toContain(status)
    await evaluator.evaluate(evaluatedOf(test, true))
    if (Math.abs(jump) > 5 * minuteMs) expect(test.query('select count(*) as n from findings')).toEqual(opened)
    await test.restart()
    expect((await seen(test, false))[0]).toBe(-jump)
  },
)

it('the greatest skew comes from fresh resources only', async () => {
  const test = await synced()
  const fault = test.sim.faults.add({ path: '/api/public/roles', effect: { kind: 'clock-skew', ms: -4 * minuteMs } })
  await test.run('roles')
  test.sim.faults.remove(fault.id)
  for (const resource of ['users', 'permissions'] as const) await test.run(resource)
  expect((await seen(test, true))[0]).toBe(-4 * minuteMs)
  test.clock.advance(10 * hourMs)
  await test.run('permissions')
  expect((await seen(test, true))[0]).toBe(0)
})
