import { expect, it, onTestFinished } from 'vitest'
import { fenceOf, type Lease, type Renewal, releaseLeases, renewLeases } from '../../../src/store/db/leases.ts'
import { PostgresDb } from '../../../src/store/db/postgres/postgres-db.ts'
import { testOptions, testPostgres } from '../../support/postgres.ts'

const named = (...names: readonly string[]) => names.map((name) => ({ name, baseUrl: 'https://x' }))
const four = named('t1', 't2', 't3', 't4')
const all = four.map(({ name }) => name)

/** A process that remembers what its last renewal found. */
class Process {
  readonly id: string
  readonly #db: PostgresDb
  readonly #tenants: typeof four
  #leases: readonly Lease[] = []

  constructor(id: string, db: PostgresDb, tenants: typeof four) {
    this.id = id
    this.#db = db
    this.#tenants = tenants
  }

  /** Numbers of tenants that the renewal found. */
  async renew(): Promise<Omit<Renewal, 'hasAll' | 'leases'>> {
    const claim = { tenants: this.#tenants, alone: false, id: this.id, at: 1 }
    const renewal = await this.#db.write((sql) => renewLeases(sql, this.#db.dialect, claim))
    const { leases, hasAll: _, ...numbers } = renewal
    this.#leases = leases
    return numbers
  }

  get owned(): readonly string[] {
    return this.#leases.flatMap(({ tenant }) => tenant ?? []).sort()
  }

  lease(tenant: string | null): Lease | undefined {
    return this.#leases.find((lease) => lease.tenant === tenant)
  }

  /** Writes under the present lease of the tenant. */
  writerOf(tenant: string) {
    const lease = this.lease(tenant)
    if (lease === undefined) throw new Error(`${this.id} does not own ${tenant}`)
    const fenced = this.#db.fencedBy(...fenceOf(this.id, lease))
    return (text: string) => fenced.write((sql) => sql('update tenants set base_url = ? where id = 1', [text]))
  }

  release(...tenants: readonly string[]): Promise<void> {
    const leases = this.#leases.filter(({ tenant }) => tenant !== null && tenants.includes(tenant))
    return this.#db.write((sql) => releaseLeases(sql, this.#db.dialect, this.id, leases))
  }
}

function world() {
  const postgres = testPostgres()
  onTestFinished(() => postgres.drop())
  const { query } = postgres
  return {
    query,
    replica(id: string, tenants = four) {
      const db = new PostgresDb(postgres.connect(), testOptions)
      onTestFinished(() => db[Symbol.asyncDispose]())
      return new Process(id, db, tenants)
    },
    /** The clock of the database moves on by so much. */
    pass(seconds: number, id = '%') {
      query(`update replicas set until = until - interval '${seconds} seconds' where id like ?`, id)
      query(`update leases set until = until - interval '${seconds} seconds' where owner like ?`, id)
    },
    setBack() {
      query(`update replicas set until = until + interval '1 hour'`)
      query(`update leases set until = until + interval '1 hour'`)
    },
  }
}

it('leaves no share for a replica that is late, and takes its tenants when it is dead', async () => {
  const { replica, pass } = world()
  const [a, b] = [replica('a'), replica('b')]
  await a.renew()
  await b.renew()
  await a.release('t3', 't4')
  await a.renew()
  expect(a.owned).toEqual(['t1', 't2'])
  pass(4, 'b')
  await a.renew()
  expect(a.owned).toEqual(all)
  await a.release('t3', 't4')
  await b.renew()
  pass(11, 'b')
  expect([await a.renew(), a.owned]).toEqual([{ takenOver: 2, unowned: 0, surplus: 0 }, all])
})

it('shares tenants only with replicas that have the same ones', async () => {
  const { replica } = world()
  const [a, b] = [replica('a'), replica('b', named('t5', 't6'))]
  await b.renew()
  await a.renew()
  expect([a.owned, b.owned]).toEqual([all, ['t5', 't6']])
  expect([(await a.renew()).surplus, (await b.renew()).surplus]).toEqual([0, 0])
})

it('writes nothing under a lease that it released, even after it took it again', async () => {
  const { replica } = world()
  const a = replica('a')
  await a.renew()
  const write = a.writerOf('t1')
  const before = a.lease('t1')
  await a.release('t1')
  await a.renew()
  await expect(write('too late')).rejects.toMatchObject({ reason: 'aborted' })
  await a.writerOf('t1')('in time')
  expect(a.lease('t1')).not.toEqual(before)
})

it('takes a lease that lapsed again, under a new epoch', async () => {
  const { replica, pass } = world()
  const a = replica('a')
  await a.renew()
  const before = a.lease('t1')
  await a.renew()
  expect(a.lease('t1')?.epoch).toBe(before?.epoch)
  pass(11)
  expect(await a.renew()).toEqual({ takenOver: 0, unowned: 0, surplus: 0 })
  expect(a.lease('t1')?.epoch).toBe((before?.epoch ?? 0) + 1)
})

it('counts leases of the future as lapsed: the clock of the database was set back', async () => {
  const { replica, setBack } = world()
  const [a, b] = [replica('a'), replica('b')]
  await a.renew()
  setBack()
  expect([await b.renew(), b.owned]).toEqual([expect.objectContaining({ unowned: 0 }), all])
})

it('registers again what a restore took away, and holds new leases', async () => {
  const { replica, query } = world()
  const a = replica('a')
  await a.renew()
  query(`delete from tenants where name = 't4'`)
  query('delete from leases where tenant_id not in (select id from tenants) and tenant_id > 0')
  expect([await a.renew(), a.owned]).toEqual([expect.objectContaining({ unowned: 0 }), all])
  expect(a.lease('t4')?.tenantId).toBe(5)
})
