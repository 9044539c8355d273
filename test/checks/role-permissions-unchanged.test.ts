import { expect, it } from 'vitest'
import { rolePermissionsUnchanged as check } from '../../src/checks/role-permissions-unchanged.ts'
import { acceptStates, readAcceptedStates } from '../../src/evaluate/decisions.ts'
import { minuteMs } from '../../src/model/durations.ts'
import { evaluate, soundMirror } from '../evaluate/support/evaluating.ts'
import type { FakeMirror } from '../evaluate/support/fake-mirror.ts'
import { sqliteWorld } from '../evaluate/support/sqlite-world.ts'
import { completeState, neverState } from '../evaluate/support/sync-states.ts'
import { brief, evaluator, now } from './support/evaluator.ts'
import { role } from './support/facts.ts'

const [read, create, roles] = ['Api_Users_Read', 'Api_Users_Create', 'Api_Roles_Read']

const holding =
  (...codes: readonly string[]) =>
  (mirror: FakeMirror) =>
    mirror.put('roles', role({}, codes))

it.each([
  ['as they were', [read], [read], []],
  ['in another order', [roles, read], [read, roles], []],
  ['more than before', [read, create], [read], ['1 high']],
  ['fewer than before', [read], [read, roles], ['1 medium']],
  ['others than before', [create], [read], ['1 high']],
  ['none any more', [], [read], ['1 medium']],
])('evaluates codes that are %s', async (_case, present, state, expected) => {
  const result = await evaluator(check, holding(...present), { accepted: { 1: { state } } })
  expect(brief(result)).toEqual(expected)
  expect(result).toMatchObject({ population: 1, notEvaluated: 0 })
})

it('finds a new role with permissions and a removed role', async () => {
  const fill = (mirror: FakeMirror) => {
    mirror.put('roles', role({ roleId: 2, name: 'New' }, [create]))
    mirror.put('roles', role({ roleId: 3, name: 'Idle' }, []))
  }
  const result = await evaluator(check, fill, { accepted: { 1: { state: [read] } } })
  expect(brief(result)).toEqual(['2 high', '1 medium'])
  expect(result.failures.map(({ message }) => message)).toEqual([
    'Role "New" (2) is new and grants Api_Users_Create: the first state mirrored has no such role.',
    'Role 1 is gone: the first state mirrored has it with Api_Users_Read.',
  ])
})

it('reports gained and lost codes, the expected state and the request', async () => {
  const accepted = { 1: { state: [read], reason: 'Agreed' } }
  const { failures } = await evaluator(check, holding(create, roles), { accepted })
  expect(failures[0]?.message).toBe(
    'Role "Reader" (1) gained Api_Roles_Read, Api_Users_Create and lost Api_Users_Read against the state last accepted.',
  )
  expect(failures[0]?.evidence).toMatchObject({
    gained: [roles, create],
    lost: [read],
    present: [roles, create],
    expected: [read],
    acceptedFor: 'Agreed',
    requestId: 'req-1',
  })
})

it('prefers the configured baseline, by id and else by name, also for a missing role', async () => {
  const accepted = { 1: { state: [create] } }
  const byName = { baseline: { Reader: [read] } }
  expect(brief(await evaluator(check, holding(read), { options: byName, accepted }))).toEqual([])
  expect(brief(await evaluator(check, holding(create), { options: byName, accepted }))).toEqual(['1 high'])
  const byId = { baseline: { 1: [create], Reader: [read] } }
  expect(brief(await evaluator(check, holding(create), { options: byId, accepted }))).toEqual([])
  const other = await evaluator(check, holding(create), { options: { baseline: { Auditor: [read] } }, accepted })
  expect(brief(other)).toEqual(['Auditor medium'])
})

it('evaluates nothing before first states are stored, and no absence while roles are incomplete', async () => {
  const unkept = await evaluator(check, holding(read), { accepted: null })
  expect(unkept).toMatchObject({ failures: [], population: 1, notEvaluated: 1 })
  expect(await unkept.scope('1')).toBe('not_evaluated')
  const accepted = { 1: { state: [read] }, 2: { state: [create] } }
  const partial = await evaluator(check, holding(create), { accepted, incomplete: ['roles'] })
  expect(brief(partial)).toEqual(['1 high'])
  expect(partial).toMatchObject({ population: 2, notEvaluated: 1 })
})

it('stores no first states while a role is quarantined, data is stale or no full sync was complete', async () => {
  const mirror = soundMirror()
  mirror.put('roles', role())
  const kept = async () => {
    const accepted = await readAcceptedStates(mirror.store, 1, check.id)
    return accepted && [...accepted.byEntity.values()]
  }
  const status = async (at: number) => (await evaluate(mirror, { at })).get(check.id)?.status
  mirror.quality.roles.quarantined = 1
  expect([await status(now), await kept()]).toEqual(['unknown', null])
  mirror.quality.roles.quarantined = 0
  expect([await status(now + 1000 * minuteMs), await kept()]).toEqual(['unknown', null])
  mirror.quality.roles.state = neverState('roles')
  expect([await status(now), await kept()]).toEqual(['unknown', null])
  mirror.quality.roles.state = completeState('roles', now)
  expect(await status(now)).toBe('pass')
  expect(await kept()).toEqual([{ entityId: '1', state: [read], at: now, reason: null }])
})

it('never passes before a complete full sync of roles, nor on stale data', async () => {
  const world = await sqliteWorld()
  await world.evaluate()
  const status = async () => (await world.counts(check.id)).status
  expect(await status()).toBe('unknown')
  await world.sync({ roles: [role()] })
  await world.evaluate()
  expect(await status()).toBe('pass')
  world.pass(1000 * minuteMs)
  await world.evaluate()
  expect(await status()).toBe('unknown')
})

it('measures from the first complete state until an operator accepts another', async () => {
  const world = await sqliteWorld()
  await world.sync({ roles: [role(), role({ roleId: 2, name: 'Auditor' })] })
  await world.evaluate()
  expect((await world.counts(check.id)).status).toBe('pass')
  await world.sync({ roles: [role({}, [read, create])] })
  await world.evaluate()
  expect(await world.counts(check.id)).toMatchObject({ status: 'fail', open: { high: 1, medium: 1 } })
  const state = { entityId: '1', state: [create, read], at: world.now, reason: 'Agreed' }
  await acceptStates(world.mirror, [{ tenantId: world.tenantId, check: check.id, ...state }])
  await world.evaluate()
  expect(await world.counts(check.id)).toMatchObject({ status: 'fail', open: { medium: 1 } })
  const ended = await world.findings(check.id, ['resolved'])
  expect(ended.map(({ entity, resolution }) => [entity.id, resolution])).toEqual([['1', 'rule_changed']])
  await world.sync({ roles: [role({}, [read, create]), role({ roleId: 2, name: 'Auditor' })] })
  await world.evaluate()
  expect((await world.counts(check.id)).status).toBe('pass')
})
