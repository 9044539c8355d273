import { expect, it } from 'vitest'
import { eraseOutdated, othersOf } from '../../src/daemon/retention.ts'
import { dayMs } from '../../src/model/time.ts'
import { sharedChain } from '../../src/store/port.ts'
import { onlyStore, type TenantStores } from '../../src/store/tenant-stores.ts'
import { testMirror } from '../support/mirror.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const retentionMs = 400 * dayMs
const [acme, beta, former] = [1, 2, 3]

/** By the times that the servers of acme and beta confirmed: whose data is erased, up to when before the retention. */
async function erasedBy(...serverTimes: readonly (number | null)[]) {
  const erased: Record<number, readonly [earliest: number, latest: number]> = {}
  const store = {
    async eraseOutdated({ tenantId, before, latest, at }: Record<string, number>) {
      expect(at).toBe(now)
      erased[Number(tenantId)] = [Number(before) + retentionMs - now, Number(latest) - now]
    },
  } as never
  const tenants = serverTimes.map((serverTime, i) => ({ store, tenantId: [acme, beta][i] ?? 0, serverTime }))
  const others = [sharedChain, former].map((tenantId) => ({ store, tenantId }))
  await eraseOutdated({ tenants, others, retentionMs, now })
  return erased
}

const [behind, ahead] = [-3 * dayMs, 900 * dayMs]
const ofAll = [behind, ahead]

it.each([
  ['nothing while no tenant exists', [], {}],
  ['nothing while none has confirmed the time', [null, null], {}],
  ['nothing of one that has not, and then nothing of former tenants', [now, null], { [acme]: [0, 0] }],
  [
    'by the earlier of the local clock and the own server time, of former tenants by the earliest of all',
    [now + behind, now + ahead],
    { [acme]: [behind, 0], [beta]: [0, ahead], [sharedChain]: ofAll, [former]: ofAll },
  ],
])('erases %s', async (_, times, expected) => expect(await erasedBy(...times)).toEqual(expected))

it('counts as former the tenants that no configuration has, and leaves them to the replica that has the shared chain', async () => {
  const { mirror } = testMirror()
  for (const name of ['acme', 'gone']) await mirror.openTenant(name, `https://${name}`, now)
  const stores = onlyStore(mirror)
  const found = await othersOf(stores, [{ name: 'acme' }])
  expect(found.map(({ tenantId }) => tenantId)).toEqual([sharedChain, 2])
  expect(await othersOf({ ...stores, shared: () => null } as TenantStores, [{ name: 'acme' }])).toEqual([])
})
