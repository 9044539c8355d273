import { expect, it, vi } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import { ownChecks } from '../../src/checks/own/own-check.ts'
import type { Settings } from '../../src/config/settings.ts'
import { Evaluator } from '../../src/daemon/evaluator.ts'
import type { OwnQueries } from '../../src/evaluate/own-query.ts'
import type { Metrics } from '../../src/metrics/metrics.ts'
import { silentLog } from '../../src/model/log.ts'
import { dayMs } from '../../src/model/time.ts'
import type { Mirror } from '../../src/store/port.ts'
import { onlyStore } from '../../src/store/tenant-stores.ts'
import { client, iso } from '../checks/support/facts.ts'
import { lifeOf, soundWorld } from '../evaluate/support/evaluating.ts'
import { tenantSettings } from '../evaluate/support/tenant-settings.ts'
import { testMirror } from '../support/mirror.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const clock = { now: () => now, monotonic: () => 0, sleep: async () => {} }

const configured = (...tenants: object[]) => {
  const rest = { evaluate: { intervalMs: 60_000 }, historyRetentionDays: 400, ownChecks: { checks: [] } }
  return { tenants, waivers: [], owners: [], ...rest } as unknown as Settings
}

const metrics = { count() {} } as unknown as Metrics

it.each([
  ['none', null, false],
  ['one that differs by more than 300 seconds', now + 300_001, false],
  ['one that agrees', now + 299_000, true],
])('takes for a confirmation of the clock, of server times: %s', async (_, serverTime, confirmed) => {
  const { mirror } = testMirror()
  const { tenant } = await mirror.openTenant('acme', 'https://x', now)
  await mirror.noteTenantState(tenant.id, '{}', now + dayMs)
  const evaluator = new Evaluator({ stores: onlyStore(mirror), metrics, clock, log: silentLog() })
  await evaluator.evaluate({ id: tenant.id, settings: tenantSettings() }, { checks: [], serverTime })
  expect(await mirror.unconfirmedTime()).toBe(confirmed ? null : now + dayMs)
})

it('counts what an evaluation opened that was aborted in the query of an own check', async () => {
  const { store, tenantId: id, ...world } = await soundWorld()
  await world.put('api-clients', client({ secretExpirationDate: iso(now - 1) }))
  const [stopping, count] = [new AbortController(), vi.fn()]
  const ownQueries: OwnQueries = {
    async ask() {
      stopping.abort()
      throw stopping.signal.reason
    },
  }
  const evaluator = new Evaluator({ stores: onlyStore(store), metrics: { count }, clock, log: silentLog(), ownQueries })
  const written = { id: 'own', file: 'own.sql', title: 'T', severity: 'low', inputs: ['users'], query: 'select 1' }
  const catalogue = [...checks, ...ownChecks({ checks: [{ ...written, frameworks: [], maxAgeMs: null }] } as never)]
  const aborted = evaluator.evaluate({ id, settings: tenantSettings() }, { checks: catalogue, signal: stopping.signal })
  await expect(aborted).rejects.toThrow('aborted')
  const labels = { tenant: 'acme', check: 'api-client-secret-not-expired' }
  expect(count).toHaveBeenCalledWith('tenantwatch_findings_opened_total', labels, 1)
})

it('records the configuration once this replica is the one that records it', async () => {
  const { store, tenantId: id } = await soundWorld()
  let shared: Mirror | null = null
  const stores = { ...onlyStore(store), shared: () => shared }
  const evaluator = new Evaluator({ stores, metrics, clock, log: silentLog() })
  evaluator.configure(configured(tenantSettings()))
  for (const recorder of [null, store]) {
    shared = recorder
    await evaluator.evaluate({ id, settings: tenantSettings() }, { checks: [] })
    expect((await (await store.past(now, true)).configuration()) === null).toBe(recorder === null)
  }
})

it('leaves the findings of a tenant closed that is removed while its evaluation waits for its turn', async () => {
  const { store, tenantId, ...world } = await soundWorld()
  await world.put('api-clients', client({ secretExpirationDate: iso(now - 1) }))
  const { tenant } = await store.openTenant('other', 'https://other.example.com', now)
  const [acme, other] = [tenantSettings(), { ...tenantSettings(), name: 'other' }]
  const evaluator = new Evaluator({ stores: onlyStore(store), metrics, clock, log: silentLog() })
  const configure = (...tenants: object[]) => evaluator.configure(configured(...tenants))
  const evaluated = (id: number, settings: typeof acme) => evaluator.evaluate({ id, settings }, { checks })
  configure(acme, other)
  await evaluated(tenantId, acme)
  const both = [evaluated(tenant.id, other), evaluated(tenantId, acme)]
  configure(other)
  await Promise.all(both)
  await evaluated(tenant.id, other)
  const life = await lifeOf({ store, tenantId, ...world }, 'api-client-secret-not-expired')
  expect(life).toEqual({ c1: 'tenant_removed' })
})
