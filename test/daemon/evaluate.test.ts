import { expect, it } from 'vitest'
import { Evaluator } from '../../src/daemon/evaluator.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { dayMs } from '../../src/model/durations.ts'
import { silentLog } from '../../src/model/log.ts'
import { onlyStore } from '../../src/store/tenant-stores.ts'
import { tenantSettings } from '../evaluate/support/tenant-settings.ts'
import { testMirror } from '../support/mirror.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const clock = { now: () => now, monotonic: () => 0, sleep: async () => {} }

function emptyMetrics() {
  const config = { tenants: [], checks: [] } as never
  return createMetrics({ version: '1', startedAt: now, config, read: async () => [], scope: 'mirror' })
}

it.each([
  ['none', null, false],
  ['one that differs by more than 300 seconds', now + 300_001, false],
  ['one that agrees', now + 299_000, true],
])('takes for a confirmation of the clock, of server times: %s', async (_, serverTime, confirmed) => {
  const { mirror } = testMirror()
  const { tenant } = await mirror.openTenant('acme', 'https://x', now)
  await mirror.noteTenantState(tenant.id, '{}', now + dayMs)
  const metrics = emptyMetrics()
  const evaluator = new Evaluator({ stores: onlyStore(mirror), metrics, clock, log: silentLog() })
  await evaluator.evaluate({ id: tenant.id, settings: tenantSettings() }, { checks: [], serverTime })
  expect(await mirror.unconfirmedTime()).toBe(confirmed ? null : now + dayMs)
})

it('takes an evaluation out of the queue once its signal is aborted, and lets the next one in', async () => {
  const { mirror } = testMirror()
  const { tenant } = await mirror.openTenant('acme', 'https://x', now)
  const begun: string[] = []
  const first = Promise.withResolvers<void>()
  const store = {
    ...mirror,
    async noteTenantState(...noted: Parameters<typeof mirror.noteTenantState>) {
      begun.push(begun.length === 0 ? 'first' : 'another')
      if (begun.length === 1) await first.promise
      await mirror.noteTenantState(...noted)
    },
  }
  const evaluator = new Evaluator({ stores: onlyStore(store), metrics: emptyMetrics(), clock, log: silentLog() })
  const evaluate = (signal?: AbortSignal) =>
    evaluator.evaluate({ id: tenant.id, settings: tenantSettings() }, { checks: [], ...(signal && { signal }) })
  const leaving = new AbortController()
  const [busy, queued, next] = [evaluate(), evaluate(leaving.signal), evaluate()]
  leaving.abort()
  await expect(queued).rejects.toMatchObject({ reason: 'aborted' })
  await expect(evaluate(leaving.signal)).rejects.toMatchObject({ reason: 'aborted' })
  expect(begun.slice(1)).toEqual([])
  first.resolve()
  await Promise.all([busy, next])
  expect(begun).toEqual(['first', 'another'])
})
