import fc from 'fast-check'
import { expect, it } from 'vitest'
import { secondMs } from '../../src/model/durations.ts'
import { silentLog } from '../../src/model/log.ts'
import { fenceOf } from '../../src/store/db/leases.ts'
import { PostgresDb } from '../../src/store/db/postgres/postgres-db.ts'
import { LeasedStores } from '../../src/store/leased-stores.ts'
import { testOptions, testPostgres } from '../support/postgres.ts'

const names = ['t1', 't2', 't3']
const tenants = names.map((name) => ({ name, baseUrl: 'https://x' }))

/** A tenant is without an owner for at most so long while a replica lives (docs/internals/reliability.md#replicas). */
const ownedWithinMs = 15 * secondMs

/** Replicas on one database; the time of all of them and of the database is the same. */
function fleet() {
  const postgres = testPostgres()
  const { query } = postgres
  let now = 0
  const replicas = new Map<string, ReturnType<typeof replica>>()
  /** Every store that any process ever had: a frozen or dying one may still write through it. */
  const stores = new Set<NonNullable<ReturnType<ReturnType<typeof replica>['of']>>>()

  function replica(id: string) {
    const db = new PostgresDb(postgres.connect(), testOptions)
    return new LeasedStores({
      ...{ id, lease: db, show: db, log: silentLog(), random: () => 0.5, assertTables: async () => {} },
      clock: { now: () => now, monotonic: () => now, sleep: () => new Promise<void>(() => {}) },
      storeOf(lease) {
        const fenced = db.fencedBy(...fenceOf(id, lease))
        const text = 'update tenants set base_url = ? where id = ?'
        return { id, lease, write: () => fenced.write((sql) => sql(text, [id, lease.tenantId])) }
      },
    })
  }

  return {
    replicas,
    stores: () => [...stores],
    drop: () => postgres.drop(),
    start: (id: string) => void replicas.set(id, replica(id)),
    /** As SIGKILL. */
    kill: (id: string) => void replicas.delete(id),
    async renew(id: string) {
      const one = replicas.get(id)
      await one?.configure(tenants)
      for (const name of names) {
        const store = one?.of(name)
        if (store) stores.add(store)
      }
    },
    pass(ms: number) {
      now += ms
      for (const table of ['replicas', 'leases'])
        query(`update ${table} set until = until - interval '${ms} milliseconds'`)
    },
    ownersOf: (name: string) => [...replicas].flatMap(([id, one]) => (one.of(name) === null ? [] : [id])),
    leaseOf: (tenantId: number) => query('select owner, epoch from leases where tenant_id = ?', tenantId)[0],
  }
}

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
      const world = fleet()
      const { replicas } = world
      let starts = 0
      const ids = new Map<string, string>()
      try {
        for (const one of events) {
          if (one.kind === 'pass') world.pass(one.ms)
          if (one.kind === 'kill') world.kill(ids.get(one.id) ?? '')
          if (one.kind === 'renew') await world.renew(ids.get(one.id) ?? '')
          if (one.kind === 'start') {
            // A replica has a new id at each start.
            world.kill(ids.get(one.id) ?? '')
            ids.set(one.id, `${one.id}${++starts}`)
            world.start(`${one.id}${starts}`)
          }
          const stores = world.stores()
          const store = one.kind === 'write' ? stores[one.which % stores.length] : undefined
          if (store !== undefined) {
            const { owner, epoch } = { ...world.leaseOf(store.lease.tenantId) }
            if (owner === store.id && epoch === store.lease.epoch) await store.write()
            else await expect(store.write()).rejects.toMatchObject({ reason: 'aborted' })
          }
          for (const name of names) expect(world.ownersOf(name).length, name).toBeLessThan(2)
        }
        world.start('last')
        for (let ms = 0; ms < ownedWithinMs; ms += 2 * secondMs) {
          for (const one of replicas.keys()) await world.renew(one)
          world.pass(2 * secondMs)
        }
        for (const name of names) expect(world.ownersOf(name)).toHaveLength(1)
      } finally {
        await world.drop()
      }
    }),
    { numRuns: 25 },
  )
})
