import { expect, it } from 'vitest'
import { rolePermissionsUnchanged as check } from '../../src/checks/role-permissions-unchanged.ts'
import { acceptStates } from '../../src/evaluate/decisions.ts'
import { minuteMs } from '../../src/model/time.ts'
import { evaluate, never, resync, soundWorld } from '../evaluate/support/evaluating.ts'
import { sqliteWorld } from '../evaluate/support/sqlite-world.ts'
import { itFinds } from './support/evaluator.ts'
import { now, role } from './support/facts.ts'

const [read, create, reading] = ['Api_Users_Read', 'Api_Users_Create', 'Api_Roles_Read']
const holding = (...codes: readonly string[]) => ({ roles: [role({}, codes)] })
const from = (...state: readonly string[]) => ({ population: 1, accepted: { 1: { state } } })

itFinds(check, [
  ['codes as they were', holding(read), [], from(read)],
  ['codes in another order', holding(reading, read), [], from(read, reading)],
  ['more codes than before', holding(read, create), ['1 high'], from(read)],
  ['fewer codes than before', holding(read), ['1 medium'], from(read, reading)],
  ['no codes any more', holding(), ['1 medium'], from(read)],
  [
    'other codes than before',
    holding(create, reading),
    ['1 high'],
    {
      accepted: { 1: { state: [read], reason: 'Agreed' } },
      evidence: {
        ...{ gained: [reading, create], lost: [read], present: [reading, create], expected: [read] },
        ...{ acceptedFor: 'Agreed', requestId: 'req-1' },
      },
    },
  ],
  [
    'a new role with permissions and a removed one',
    { roles: [role({ roleId: 2, name: 'New' }, [create]), role({ roleId: 3, name: 'Idle' }, [])] },
    ['2 high', '1 medium'],
    { accepted: { 1: { state: [read] } } },
  ],
  [
    'roles before first states are stored',
    holding(read),
    [],
    { accepted: null, population: 1, notEvaluated: 1, scope: { 1: 'not_evaluated' } },
  ],
  [
    'a missing role while roles are incomplete',
    holding(create),
    ['1 high'],
    {
      accepted: { 1: { state: [read] }, 2: { state: [create] } },
      incomplete: ['roles'],
      population: 2,
      notEvaluated: 1,
    },
  ],
])

const accepted = { 1: { state: [create] } }
const against = (baseline: Record<string, readonly string[]>) => ({ options: { baseline }, accepted })

itFinds(check, [
  ['a configured baseline by name', holding(read), [], against({ Reader: [read] })],
  ['codes beyond it', holding(create), ['1 high'], against({ Reader: [read] })],
  ['one by id, which comes first', holding(create), [], against({ 1: [create], Reader: [read] })],
  ['one for a missing role', holding(create), ['Auditor medium'], against({ Auditor: [read] })],
])

it('measures from the first complete state until an operator accepts another', async () => {
  const world = await sqliteWorld()
  const auditor = role({ roleId: 2, name: 'Auditor' })
  await world.sync({ roles: [role(), auditor] })
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
  await world.sync({ roles: [role({}, [read, create]), auditor] })
  await world.evaluate()
  expect((await world.counts(check.id)).status).toBe('pass')
})

it('stores no first states while a role is quarantined, data is stale or no full sync was complete', async () => {
  const world = await soundWorld()
  await world.put('roles', role())
  const status = async (at: number) => (await evaluate(world, { at })).get(check.id)?.status
  const first = () => world.query("select id from events where kind = 'drift.first' and subject = ?", check.id)
  await world.quarantine('roles', 1)
  expect([await status(now), first()]).toEqual(['unknown', []])
  await world.put('roles', role())
  expect([await status(now + 1000 * minuteMs), first()]).toEqual(['unknown', []])
  world.set('roles', never)
  expect([await status(now), first()]).toEqual(['unknown', []])
  resync(world, now, ['roles'])
  expect(await status(now)).toBe('pass')
  expect(first().length).toBeGreaterThan(0)
})
