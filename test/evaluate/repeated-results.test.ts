import { expect, it, vi } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import type { Check } from '../../src/evaluate/check.ts'
import { evaluateTenant } from '../../src/evaluate/evaluate-tenant.ts'
import { hourMs, minuteMs } from '../../src/model/durations.ts'
import { SyncError } from '../../src/model/errors.ts'
import { silentLog } from '../../src/model/log.ts'
import { resourceNames } from '../../src/model/resource-names.ts'
import { client, iso, now, settings, user } from '../checks/support/facts.ts'
import { eraseAll } from '../support/erasure.ts'
import { testMirror } from '../support/mirror.ts'
import { offByDefault } from '../support/off-by-default.ts'
import { markMissing, removeRecords } from '../support/removal.ts'
import { fullSyncEnd } from './support/sqlite-world.ts'
import { type SettingsChanges, tenantSettings } from './support/tenant-settings.ts'

const id = 'user-mfa-enrolled'
const ok = (record: Readonly<Record<string, unknown>>) => ({ ok: true as const, record, extra: null })

/** A mirror with one user, and an evaluation; returns the checks evaluated at a time. */
async function evaluation() {
  const { mirror } = testMirror()
  const { tenant } = await mirror.openTenant('acme', 'https://x', 1)
  const tenantId = tenant.id
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
  const page = { tenantId, at: now, requestId: 'r', recordCreations: true }
  const whole = { startedAt: now, durationMs: 1, serverTime: now }
  for (const resource of resourceNames) {
    const items = resource === 'users' ? [ok(user())] : resource === 'authentication-settings' ? [ok(settings())] : []
    await mirror.commitPage({ ...page, resource, items, whole })
    await mirror.closeRun(fullSyncEnd(tenantId, resource, now))
  }
  return {
    mirror,
    tenantId,
    page,
    async evaluated(at: number, changes: SettingsChanges = {}, currentForMs = 15 * minuteMs) {
      asked.length = 0
      const request = { store: mirror, tenant: { id: tenantId, settings: tenantSettings(changes) }, log: silentLog() }
      const outcomes = await evaluateTenant({ ...request, checks: watched, now: at, currentForMs })
      const outcome = outcomes.find(({ check }) => check === id)
      return { asked: [...asked], status: outcome?.status, outcomes: outcomes.length }
    },
  }
}

it('evaluates without changes again only when time changes a result, or when the clock was set back', async () => {
  const test = await evaluation()
  const at = now + 20 * minuteMs
  const expiring = client({ clientId: '00000000-0000-4000-8000-000000000001', secretExpirationDate: iso(at) })
  await test.mirror.commitPage({ ...test.page, resource: 'api-clients', items: [ok(expiring)] })
  const first = await test.evaluated(now)
  const configured = checks.filter(({ id }) => !offByDefault.includes(id))
  expect(new Set(first.asked)).toEqual(new Set(configured.map(({ id }) => id)))
  const again = await test.evaluated(at - 1)
  expect(again.asked).toEqual([])
  expect([again.status, again.outcomes]).toEqual([first.status, first.outcomes])
  const states = await test.mirror.checkStates(test.tenantId)
  expect(states.every(({ evaluatedAt }) => evaluatedAt === at - 1)).toBe(true)
  expect((await test.evaluated(at)).asked).toEqual(['api-client-secret-not-expired', 'api-client-secret-not-expiring'])
  expect(new Set((await test.evaluated(now - 1)).asked)).toEqual(new Set(first.asked))
})

type Test = Awaited<ReturnType<typeof evaluation>>

it.each<[string, (test: Test) => Promise<unknown>, SettingsChanges?]>([
  [
    'a page',
    ({ mirror, page }) => mirror.commitPage({ ...page, resource: 'users', items: [ok(user({ mfaStatus: false }))] }),
  ],
  [
    'a removal',
    ({ mirror, tenantId }) =>
      removeRecords(mirror, { tenantId, resource: 'users', at: now, removedAt: now, requestId: null }, [1]),
  ],
  ['a missing record', ({ mirror, tenantId }) => markMissing(mirror, { tenantId, resource: 'users' }, [1], now)],
  [
    'an answer by id',
    ({ mirror, tenantId }) => {
      const item = ok(user({ roleId: 1 }))
      return mirror.saveDetails(tenantId, 'users', [{ item, at: now, requestId: null }])
    },
  ],
  [
    'another input',
    ({ mirror, page }) =>
      mirror.commitPage({ ...page, resource: 'authentication-settings', items: [ok(settings({ mfaEnabled: false }))] }),
  ],
  ['the end of the retention', ({ mirror }) => eraseAll(mirror, now)],
  [
    'a hold',
    ({ mirror, tenantId }) =>
      mirror.raiseHold({
        ...{ tenantId, resource: 'users', reason: 'shrink_held', count: 9 },
        ...{ message: '', cause: {}, at: now },
      }),
  ],
  ['other options', async () => {}, { checks: { [id]: { options: { enrolledWhen: 'mfaAction' } } } }],
  ['another severity', async () => {}, { checks: { [id]: { severity: 'low' } } }],
])('evaluates again after %s', async (_what, befall, changes = {}) => {
  const test = await evaluation()
  await test.evaluated(now)
  await befall(test)
  expect((await test.evaluated(now + minuteMs, changes)).asked).toContain(id)
  expect((await test.evaluated(now + 2 * minuteMs, changes)).asked).not.toContain(id)
})

it('evaluates again when an input becomes stale without changes', async () => {
  const test = await evaluation()
  expect((await test.evaluated(now)).status).toBe('pass')
  const later = await test.evaluated(now + 4 * hourMs)
  expect([later.status, later.asked.includes(id)]).toEqual(['unknown', true])
})

it('forgets the result of a check that was switched off', async () => {
  const test = await evaluation()
  const lacking = ok(user({ mfaStatus: false }))
  await test.mirror.commitPage({ ...test.page, resource: 'users', items: [lacking] })
  expect((await test.evaluated(now)).status).toBe('fail')
  await test.evaluated(now + minuteMs, { checks: { [id]: { enabled: false } } })
  const again = await test.evaluated(now + 2 * minuteMs)
  expect([again.status, again.asked.includes(id)]).toEqual(['fail', true])
  expect((await test.mirror.checkStates(test.tenantId)).find(({ check }) => check === id)?.open).toEqual({ high: 1 })
})

it('remembers no result that could not be committed', async () => {
  const test = await evaluation()
  vi.spyOn(test.mirror, 'saveResults').mockRejectedValueOnce(new SyncError('store', 'The disk is full'))
  await expect(test.evaluated(now)).rejects.toThrow('The disk is full')
  expect((await test.evaluated(now + 1)).asked).toEqual(
    (await evaluation().then((other) => other.evaluated(now))).asked,
  )
})
