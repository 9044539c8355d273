import fc from 'fast-check'
import { expect, it } from 'vitest'
import { secondMs } from '../../src/model/time.ts'
import { named, type Replica, world } from './support/replicas.ts'

const names = ['t1', 't2', 't3']
const tenants = named(...names)

/** A tenant is without an owner for at most so long while a replica lives (docs/internals/reliability.md#replicas). */
const ownedWithinMs = 15 * secondMs

const id = fc.constantFrom('a', 'b', 'c')
const event = fc.oneof(
  fc.record({ kind: fc.constant('start' as const), id }),
  fc.record({ kind: fc.constant('kill' as const), id }),
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('renew' as const), id }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const), which: fc.nat() }) },
  // Around the limits of six and ten seconds.
  fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(500, 2000, 3000, 5900, 6100, 9900, 10_100) }),
)

it('whatever befalls replicas, no tenant has two owners, no former owner writes, and each soon has one again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 20, maxLength: 60 }), async (events) => {
      const { end, replica, query, time, age } = world()
      const alive = new Map<string, Replica>()
      /** Every store that any process ever had: a frozen or dying one may still write through it. */
      const stores = new Set<NonNullable<ReturnType<Replica['of']>>>()
      const renew = async (one: Replica | undefined) => {
        await one?.configure(tenants)
        for (const store of names.map((name) => one?.of(name))) if (store) stores.add(store)
      }
      const pass = (ms: number) => {
        time.ms += ms
        age(ms / secondMs)
      }
      const ownersOf = (name: string) => [...alive.values()].filter((one) => one.of(name) !== null).length
      for (const [n, one] of events.entries()) {
        if (one.kind === 'pass') pass(one.ms)
        if (one.kind === 'kill') alive.delete(one.id)
        if (one.kind === 'renew') await renew(alive.get(one.id))
        // A replica has a new id at each start.
        if (one.kind === 'start') alive.set(one.id, replica(`${one.id}${n}`))
        const store = one.kind === 'write' ? [...stores][one.which % stores.size] : undefined
        if (store !== undefined) {
          const [lease] = query('select owner, epoch from leases where tenant_id = ?', store.lease.tenantId)
          const isOwner = lease?.['owner'] === store.id && lease['epoch'] === store.lease.epoch
          if (isOwner) await store.write(`${n}`)
          else await expect(store.write(`${n}`)).rejects.toMatchObject({ reason: 'aborted' })
        }
        for (const name of names) expect(ownersOf(name), name).toBeLessThan(2)
      }
      alive.set('last', replica('last'))
      for (let ms = 0; ms < ownedWithinMs; ms += 2 * secondMs) {
        for (const one of alive.values()) await renew(one)
        pass(2 * secondMs)
      }
      const ofShared = [...alive.values()].filter((one) => one.shared() !== null).length
      expect([...names.map(ownersOf), ofShared]).toEqual([1, 1, 1, 1])
      await end()
    }),
    { numRuns: 25 },
  )
})
