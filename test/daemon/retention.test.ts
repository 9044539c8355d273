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

it('erases nothing while no tenant has confirmed the time', async () => {
  expect(await erasedBy()).toEqual({})
  expect(await erasedBy(null, null)).toEqual({})
})

it('erases the data of a tenant by the earlier of the local clock and its own server time', async () => {
  const [behind, ahead] = [-3 * dayMs, 900 * dayMs]
  expect(await erasedBy(now + behind, now + ahead)).toMatchObject({ [acme]: [behind, 0], [beta]: [0, ahead] })
})

it('erases nothing of a tenant that has confirmed no time, nor of former tenants and the shared chain then', async () => {
  expect(await erasedBy(now, null)).toEqual({ [acme]: [0, 0] })
})

it('erases the data of former tenants and the shared chain by the earliest of all clocks', async () => {
  const [behind, ahead] = [-3 * dayMs, 900 * dayMs]
  const others = [behind, ahead]
  expect(await erasedBy(now + ahead, now + behind)).toMatchObject({ [sharedChain]: others, [former]: others })
})

it('counts as former the tenants that no configuration has, and leaves them to the replica that has the shared chain', async () => {
  const { mirror } = testMirror()
  for (const name of ['acme', 'gone']) await mirror.openTenant(name, `https://${name}`, now)
  const stores = onlyStore(mirror)
  const found = await othersOf(stores, [{ name: 'acme' }])
  expect(found.map(({ tenantId }) => tenantId)).toEqual([sharedChain, 2])
  expect(await othersOf({ ...stores, shared: () => null } as TenantStores, [{ name: 'acme' }])).toEqual([])
})
