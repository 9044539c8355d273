import { expect, it } from 'vitest'
import { ownChecks } from '../../../src/checks/own/own-check.ts'
import type { OwnCheck } from '../../../src/config/own-checks.ts'
import type { NoAnswer, OwnAnswer, OwnQueries, OwnQuery } from '../../../src/evaluate/own-query.ts'
import { hourMs, minuteMs } from '../../../src/model/time.ts'
import { type Evaluating, emptyWorld, evaluate, lifeOf, never, resync } from '../../evaluate/support/evaluating.ts'
import { readInFull } from '../../support/read-in-full.ts'
import { now, user } from '../support/facts.ts'

const written: OwnCheck = {
  ...{ id: 'my-check', file: 'my.sql', title: 'All is well', severity: 'high', inputs: ['users', 'roles'] },
  ...{ maxAgeMs: null, entity: 'user', frameworks: [], description: null, risk: null, remediation: null },
  ...{ query: 'select 1', timeBased: false },
}
type Options = Parameters<typeof ownChecks>[0]
const limits = { folder: 'own', timeoutMs: 10_000, maxRows: 100 }
const answered = (answer: Partial<OwnAnswer> = {}): OwnAnswer => {
  return { kind: 'answered', ok: 0, alarms: [], errors: [], skipped: [], ...answer }
}

/** A tenant and the one own check, whose queries are answered by script. */
async function scene() {
  const world = await emptyWorld()
  const asked: OwnQuery[] = []
  const scripted: { answer: OwnAnswer | NoAnswer } = { answer: answered({ ok: 3 }) }
  const ownQueries: OwnQueries = {
    async ask(_store, _tenantId, query) {
      asked.push(query)
      return scripted.answer
    },
  }
  return {
    ...{ world, asked, scripted },
    /** `status reason entities`. */
    async evaluated(how: Evaluating = {}, query = written.query, more: Partial<Options> = {}) {
      const catalogue = ownChecks({ ...limits, checks: [{ ...written, query }], ...more })
      await evaluate(world, { catalogue, ownQueries, ...how })
      const state = await world.state('my-check')
      return `${state?.status} ${state?.reason} ${state?.entities}`
    },
  }
}

it('runs its query for the tenant, and is unknown with the reason while an entity cannot be evaluated', async () => {
  const { world, asked, scripted, evaluated } = await scene()
  expect(await evaluated()).toBe('pass null 3')
  const query = { text: 'select 1', inputs: ['users', 'roles'], now, tenant: 'acme', timeoutMs: 10_000, maxRows: 100 }
  expect(asked).toEqual([query])
  const errors = [['8', 'No role.'] as const, ['9', 'Nor here.'] as const]
  scripted.answer = answered({ ok: 3, errors })
  expect(await evaluated({}, 'select 2')).toBe('unknown ambiguous 5')
  expect((await world.state('my-check'))?.problem).toBe('my.sql: it cannot evaluate 2 entities, such as 8: No role.')
})

it('keeps findings open while its query fails, and resolves those that a changed one no longer returns', async () => {
  const { world, scripted, evaluated } = await scene()
  scripted.answer = answered({ alarms: [['1', 'It fails.']] })
  await evaluated()
  scripted.answer = { kind: 'failed', problem: 'no such column: x' }
  expect(await evaluated({}, 'select x')).toBe('unknown check_failed null')
  expect(await lifeOf(world, 'my-check')).toEqual({ 1: 'open' })
  scripted.answer = answered({ ok: 1 })
  await evaluated({}, 'select 2')
  expect(await lifeOf(world, 'my-check')).toEqual({ 1: 'rule_changed' })
})

type World = Awaited<ReturnType<typeof scene>>['world']

it.each<[string, string, (world: World) => unknown]>([
  ['never read in full', 'unknown never null', (world) => world.set('roles', never)],
  ['refused', 'unknown missing_permission 3', (world) => world.set('users', { denied: 'missing_permission' })],
  ['partly in quarantine', 'unknown quarantined 3', (world) => world.quarantine('roles')],
  ['stale', 'unknown stale 3', (world) => resync(world, now - 4 * hourMs, ['users'])],
])('does not pass on an input that is %s', async (_, status, spoil) => {
  const { world, evaluated } = await scene()
  await spoil(world)
  expect(await evaluated()).toBe(status)
})

it('runs its query again only after an input changed, also after a failure, and not while one is switched off', async () => {
  const { world, asked, scripted, evaluated } = await scene()
  const tick = (minute: number, how: Evaluating = {}) => evaluated({ at: now + minute * minuteMs, ...how })
  await tick(0)
  await tick(1)
  expect(asked).toHaveLength(1)
  await world.put('users', user())
  scripted.answer = { kind: 'failed', problem: 'it takes longer than 10 s' }
  expect(await tick(2)).toBe('unknown check_failed null')
  await tick(3)
  expect(asked).toHaveLength(2)
  expect((await world.state('my-check'))?.evaluatedAt).toBe(now + 3 * minuteMs)
  await world.put('users', user({ userId: 2 }))
  expect(await tick(4, { changes: { resources: { roles: { enabled: false } } } })).toBe('not_applicable null null')
  expect(asked).toHaveLength(2)
  await tick(5)
  expect(asked).toHaveLength(3)
})

const timedOut = { kind: 'failed', problem: 'it takes longer than 10 s (ownChecks.timeoutSeconds)' } as const

// docs/own-checks.md: "It runs again after the next read of an input, or a reload."
it.each<[string, (world: World) => unknown, Partial<Options>]>([
  // That finds nothing new: the version of the records stays.
  ['the next read of its input', (world) => readInFull(world.store, world.tenantId, 'roles', [], now + minuteMs), {}],
  ['a reload that gives it more time', () => {}, { timeoutMs: 60_000 }],
])('runs a failed query again after %s', async (_, happen, more) => {
  const { world, asked, scripted, evaluated } = await scene()
  scripted.answer = timedOut
  expect(await evaluated()).toBe('unknown check_failed null')
  scripted.answer = answered({ ok: 3 })
  await happen(world)
  expect(await evaluated({ at: now + 2 * minuteMs }, written.query, more)).toBe('pass null 3')
  expect(asked.map(({ timeoutMs }) => timeoutMs)).toEqual([10_000, more.timeoutMs ?? 10_000])
})

it('gives open findings the severity that the file of the check states after a reload', async () => {
  const { world, scripted, evaluated } = await scene()
  scripted.answer = answered({ alarms: [['7', 'It fails.']] })
  await evaluated()
  expect(await world.findings()).toMatchObject([{ severity: 'high' }])
  await evaluated({ at: now + minuteMs }, written.query, { checks: [{ ...written, severity: 'critical' }] })
  expect(await world.findings()).toMatchObject([{ severity: 'critical' }])
})
