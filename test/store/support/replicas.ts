import { setImmediate as nextTurn } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { silentLog } from '../../../src/model/log.ts'
import type { Db } from '../../../src/store/db/db.ts'
import { fenceOf, type LeasedTenant } from '../../../src/store/db/leases.ts'
import { PostgresDb } from '../../../src/store/db/postgres/postgres-db.ts'
import { DriverError, storeError } from '../../../src/store/db/postgres/store-error.ts'
import { LeasedStores } from '../../../src/store/leased-stores.ts'
import type { TenantWorker } from '../../../src/store/tenant-stores.ts'
import { testOptions, testPostgres } from '../../support/postgres.ts'

export const named = (...names: readonly string[]): readonly LeasedTenant[] =>
  names.map((name) => ({ name, baseUrl: 'https://x' }))

/** Replicas on one database; all have one clock, which moves only by the test. */
export function world() {
  const postgres = testPostgres()
  const endings = new AsyncDisposableStack()
  const end = () => endings.disposeAsync()
  endings.defer(() => postgres.drop())
  onTestFinished(end)
  const { query } = postgres
  const time = { ms: 0 }
  const sleeping: (() => void)[] = []
  const clock = {
    now: () => 1_000_000 + time.ms,
    monotonic: () => time.ms,
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((wake) => {
        sleeping.push(wake)
        if (signal?.aborted === true) wake()
        signal?.addEventListener('abort', () => wake())
      }),
  }
  const trouble = { code: '', isNewer: false }
  return {
    end,
    query,
    time,
    trouble,
    /** Its store of a tenant writes the name of another one. */
    replica(id: string, alone = false) {
      const inner = new PostgresDb(postgres.connect(), testOptions)
      const fail = async () => {
        throw storeError(new DriverError({ code: trouble.code, message: 'in trouble' }))
      }
      const db = {
        dialect: inner.dialect,
        read: (work) => (trouble.code === '' ? inner.read(work) : fail()),
        write: (work) => (trouble.code === '' ? inner.write(work) : fail()),
      } as Db
      const assertTables = async () => {
        if (trouble.isNewer) throw new Error('newer')
      }
      const insert = 'insert into tenants (name, base_url, created_at) values (?, ?, 1)'
      const stores = new LeasedStores({
        ...{ id, lease: db, show: db, clock, log: silentLog(), random: () => 0.5, assertTables, alone },
        storeOf(lease) {
          const fenced = inner.fencedBy(fenceOf(id, lease))
          return { id, lease, write: (name: string) => fenced.write((sql) => sql(insert, [name, 'https://x'])) }
        },
      })
      endings.defer(async () => {
        Object.assign(trouble, { code: '', isNewer: false })
        await stores[Symbol.asyncDispose]()
        await inner[Symbol.asyncDispose]()
      })
      return stores
    },
    /** Wakes all that sleep now, and lets them work. */
    async pass(): Promise<void> {
      for (const wake of sleeping.splice(0)) wake()
      for (let turns = 0; turns < 50; turns++) await nextTurn()
    },
    ownerOf: (tenant: string) =>
      query('select owner from leases l join tenants t on t.id = tenant_id where t.name = ?', tenant)[0]?.['owner'],
    /** By the clock of the database, the last renewals lie so many seconds longer ago. */
    age(seconds: number, id = '%') {
      query(`update replicas set until = until - interval '${seconds} seconds' where id like ?`, id)
      query(`update leases set until = until - interval '${seconds} seconds' where owner like ?`, id)
    },
  }
}

/** A world of two replicas, of which `a` owns these tenants. */
export async function worldOwning(tenants: readonly LeasedTenant[]) {
  const made = world()
  const a = made.replica('a')
  await a.configure(tenants)
  return { ...made, a, b: made.replica('b') }
}

export type Replica = ReturnType<ReturnType<typeof world>['replica']>

/** Those of the tenants that the replica has a store of. */
export const ownedOf = (stores: Replica, tenants: readonly LeasedTenant[]) =>
  tenants.filter(({ name }) => stores.of(name) !== null).map(({ name }) => name)

export const idle = (follow: TenantWorker['follow'] = async () => {}): TenantWorker => ({ isIdle: () => true, follow })
