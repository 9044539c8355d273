import { expect, it } from 'vitest'
import { Evaluator } from '../../src/daemon/evaluator.ts'
import type { Metrics } from '../../src/metrics/metrics.ts'
import { silentLog } from '../../src/model/log.ts'
import { dayMs } from '../../src/model/time.ts'
import { onlyStore } from '../../src/store/tenant-stores.ts'
import { tenantSettings } from '../evaluate/support/tenant-settings.ts'
import { testMirror } from '../support/mirror.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const clock = { now: () => now, monotonic: () => 0, sleep: async () => {} }

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
