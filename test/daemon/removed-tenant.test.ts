import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import type { Settings } from '../../src/config/settings.ts'
import { Evaluator } from '../../src/daemon/evaluator.ts'
import type { Metrics } from '../../src/metrics/metrics.ts'
import { silentLog } from '../../src/model/log.ts'
import { onlyStore } from '../../src/store/tenant-stores.ts'
import { client, iso, now } from '../checks/support/facts.ts'
import { lifeOf, soundWorld } from '../evaluate/support/evaluating.ts'
import { tenantSettings } from '../evaluate/support/tenant-settings.ts'

const metrics = { count() {} } as unknown as Metrics
const clock = { now: () => now, monotonic: () => 0, sleep: async () => {} }
const expired = 'api-client-secret-not-expired'

const configured = (names: readonly string[]) =>
  ({
    tenants: names.map((name) => ({ ...tenantSettings(), name })),
    evaluate: { intervalMs: 60_000 },
    historyRetentionDays: 400,
    waivers: [],
    owners: [],
    ownChecks: { checks: [] },
  }) as unknown as Settings

it('leaves the findings of a tenant closed that is removed while its evaluation waits for its turn', async () => {
  const world = await soundWorld()
  await world.put('api-clients', client({ secretExpirationDate: iso(now - 1) }))
  const { tenant: other } = await world.store.openTenant('other', 'https://other.example.com', now)
  const evaluator = new Evaluator({ stores: onlyStore(world.store), metrics, clock, log: silentLog() })
  evaluator.configure(configured(['acme', 'other']))
  const acme = { id: world.tenantId, settings: tenantSettings() }
  await evaluator.evaluate(acme, { checks })
  expect(await lifeOf(world, expired)).toEqual({ c1: 'open' })
  // A tick: `other` is evaluated after its sync, `acme` waits for its turn; a reload removes `acme` meanwhile.
  const first = evaluator.evaluate({ id: other.id, settings: { ...tenantSettings(), name: 'other' } }, { checks })
  const second = evaluator.evaluate(acme, { checks })
  evaluator.configure(configured(['other']))
  await Promise.all([first, second])
  // The evaluations that follow the reload.
  await evaluator.evaluate({ id: other.id, settings: { ...tenantSettings(), name: 'other' } }, { checks })
  expect(await lifeOf(world, expired)).toEqual({ c1: 'tenant_removed' })
})
