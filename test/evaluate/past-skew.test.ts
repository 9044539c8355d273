import { expect, it } from 'vitest'
import { inputSnapshot, pastStore } from '../../src/evaluate/past-store.ts'
import { isSkewed } from '../../src/model/server-clock.ts'
import { secondMs } from '../../src/model/time.ts'
import { neverSynced } from '../../src/store/port.ts'

it.each([301, 329, 400, -310])('the history knows that the clocks differ by %i s', async (seconds) => {
  const state = { ...neverSynced, resource: 'api-clients', fullSuccessAt: 1, completeStartedAt: 1 }
  const measured = { state, quarantined: 0, missing: 0, skewMs: seconds * secondMs, input: { blocked: null } }
  const quality = { tenant: { changeAccepted: null, former: [] }, holds: [], resources: { 'api-clients': measured } }
  const text = inputSnapshot(quality as never, 10 ** 12)
  const store = pastStore({ at: 10 ** 12, tenantState: async () => text, runs: async () => [] } as never, [])
  const skews = (await store.quality(1)).map(
    ({ state: { serverTime, serverTimeAt } }) => Number(serverTime) - Number(serverTimeAt),
  )
  expect(skews.some(isSkewed)).toBe(true)
})
