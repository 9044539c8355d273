import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import type { Check } from '../../src/evaluate/check.ts'
import { hourMs, minuteMs } from '../../src/model/time.ts'
import { client, iso, now, settings, user } from '../checks/support/facts.ts'
import { eraseAll } from '../support/erasure.ts'
import { offByDefault } from '../support/off-by-default.ts'
import { markMissing } from '../support/removal.ts'
import { emptyWorld, evaluate, type TestWorld } from './support/evaluating.ts'
import type { SettingsChanges } from './support/tenant-settings.ts'

const id = 'user-mfa-enrolled'

/** A tenant with one user, and an evaluation; returns the checks evaluated at a time. */
async function evaluation() {
  const world = await emptyWorld()
  await world.put('users', user())
  await world.put('authentication-settings', settings())
  const asked: string[] = []
  const watched = checks.map(
    (check): Check => ({
      ...check,
      begin(options, context) {
        asked.push(check.id)
        if (check.begin === undefined) throw new TypeError(`${check.id} evaluates no records`)
        return check.begin(options, context)
      },
    }),
  )
  return {
    world,
    async evaluated(at: number, changes: SettingsChanges = {}) {
      asked.length = 0
      const outcomes = await evaluate(world, { catalogue: watched, at, changes, currentForMs: 15 * minuteMs })
      return { asked: [...asked], status: outcomes.get(id)?.status, outcomes: outcomes.size }
    },
  }
}

it('evaluates without changes again only when time changes a result, or when the clock was set back', async () => {
  const test = await evaluation()
  const at = now + 20 * minuteMs
  await test.world.put('api-clients', client({ secretExpirationDate: iso(at) }))
  const first = await test.evaluated(now)
  const configured = checks.filter(({ id }) => !offByDefault.includes(id))
  expect(new Set(first.asked)).toEqual(new Set(configured.map(({ id }) => id)))
  const again = await test.evaluated(at - 1)
  expect(again.asked).toEqual([])
  expect([again.status, again.outcomes]).toEqual([first.status, first.outcomes])
  const states = await test.world.store.checkStates(test.world.tenantId)
  expect(states.every(({ evaluatedAt }) => evaluatedAt === at - 1)).toBe(true)
  expect((await test.evaluated(at)).asked).toEqual(['api-client-secret-not-expired', 'api-client-secret-not-expiring'])
  expect(new Set((await test.evaluated(now - 1)).asked)).toEqual(new Set(first.asked))
})

const of = { resource: 'users', at: now, requestId: 'r' } as const

it.each<[string, (world: TestWorld) => unknown, SettingsChanges?]>([
  ['a page', (world) => world.put('users', user({ mfaStatus: false }))],
  ['a removal', (world) => world.remove('users', '1')],
  ['a missing record', ({ store, tenantId }) => markMissing(store, { tenantId, resource: 'users' }, [1], now)],
  [
    'an answer by id',
    ({ store, tenantId }) => {
      const item = { ok: true as const, record: user({ roleId: 1 }), extra: null, oddities: [] }
      return store.saveDetails(tenantId, of.resource, [{ ...of, item }])
    },
  ],
  ['another input', (world) => world.put('authentication-settings', settings({ mfaEnabled: false }))],
  ['the end of the retention', ({ store }) => eraseAll(store, now)],
  ['a hold', (world) => world.hold('users', 'shrink_held')],
  ['other options', async () => {}, { checks: { [id]: { options: { enrolledWhen: 'mfaAction' } } } }],
  ['another severity', async () => {}, { checks: { [id]: { severity: 'low' } } }],
])('evaluates again after %s', async (_what, befall, changes = {}) => {
  const test = await evaluation()
  await test.evaluated(now)
  await befall(test.world)
  expect((await test.evaluated(now + minuteMs, changes)).asked).toContain(id)
  expect((await test.evaluated(now + 2 * minuteMs, changes)).asked).not.toContain(id)
})

it('evaluates again when an input becomes stale without changes', async () => {
  const test = await evaluation()
  expect((await test.evaluated(now)).status).toBe('pass')
  const later = await test.evaluated(now + 4 * hourMs)
  expect([later.status, later.asked.includes(id)]).toEqual(['unknown', true])
})
