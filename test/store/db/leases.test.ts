import { expect, it, onTestFinished } from 'vitest'
import { secondMs } from '../../../src/model/durations.ts'
import { type LeaseOptions, Leases } from '../../../src/store/db/leases.ts'
import { PostgresDb } from '../../../src/store/db/postgres/postgres-db.ts'
import { testOptions, testPostgres } from '../../support/postgres.ts'

const named = (...names: readonly string[]) => names.map((name) => ({ name, baseUrl: 'https://x' }))
const four = named('t1', 't2', 't3', 't4')

function world() {
  const postgres = testPostgres()
  onTestFinished(() => postgres.drop())
  const { query } = postgres
  const clock = { ms: 0, monotonic: () => clock.ms, now: () => 1 }
  return {
    clock,
    query,
    replica(id: string, tenants = four, more: Partial<LeaseOptions> = {}) {
      const db = new PostgresDb(postgres.connect(), testOptions)
      onTestFinished(() => db[Symbol.asyncDispose]())
      const leases = new Leases({ db, clock, id, assertTables: async () => {}, ...more })
      leases.tenants = tenants
      return Object.assign(leases, {
        db,
        /** Writes under the present lease of the tenant. */
        writerOf(tenant: string | null) {
          const lease = leases.held.get(tenant)
          if (lease === undefined) throw new Error(`${id} does not own ${tenant}`)
          const fenced = db.fencedBy(...leases.fenceOf(lease))
          return (text: string) => fenced.write((sql) => sql('update tenants set base_url = ? where id = 1', [text]))
        },
      })
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

const owned = (leases: Leases) => [...leases.held.keys()].filter((tenant) => tenant !== null).sort()

async function started(leases: Leases): Promise<void> {
  await leases.renew()
  await leases.renew()
}

it('takes nothing before others can know of it, then all that nobody owns, and what belongs to no tenant', async () => {
  const { replica, query } = world()
  const a = replica('a')
  expect(await a.renew()).toEqual({ takenOver: 0, unowned: 4, surplus: 0 })
  expect(a.held.size).toBe(0)
  expect(await a.renew()).toEqual({ takenOver: 0, unowned: 0, surplus: 0 })
  expect(new Set(a.held.keys())).toEqual(new Set([null, 't1', 't2', 't3', 't4']))
  expect(query('select name from tenants order by name').map(({ name }) => name)).toEqual(['t1', 't2', 't3', 't4'])
})

it('shares the tenants evenly: what a replica has beyond its share, another one takes when it is released', async () => {
  const { replica } = world()
  const [a, b] = [replica('a'), replica('b')]
  await started(a)
  await started(b)
  expect([owned(b), (await a.renew()).surplus]).toEqual([[], 2])
  await a.release([...a.held.values()].filter(({ tenant }) => tenant === 't3' || tenant === 't4'))
  expect([owned(a), await b.renew()]).toEqual([['t1', 't2'], { takenOver: 0, unowned: 0, surplus: 0 }])
  expect([owned(b), b.held.has(null), (await a.renew()).surplus]).toEqual([['t3', 't4'], false, 0])
})

it('leaves no share for a replica that is late, and takes its tenants when it is dead', async () => {
  const { replica, pass } = world()
  const [a, b] = [replica('a'), replica('b')]
  const all = four.map(({ name }) => name)
  const release = () => a.release([...a.held.values()].filter(({ tenant }) => tenant === 't3' || tenant === 't4'))
  await started(a)
  await b.renew()
  await release()
  await a.renew()
  expect(owned(a)).toEqual(['t1', 't2'])
  pass(4, 'b')
  await a.renew()
  expect(owned(a)).toEqual(all)
  await release()
  await b.renew()
  pass(11, 'b')
  expect([await a.renew(), owned(a)]).toEqual([{ takenOver: 2, unowned: 0, surplus: 0 }, all])
})

it('shares tenants only with replicas that have the same ones', async () => {
  const { replica } = world()
  const [a, b] = [replica('a'), replica('b', named('t5', 't6'))]
  await started(b)
  await started(a)
  expect([owned(a), owned(b)]).toEqual([four.map(({ name }) => name), ['t5', 't6']])
  expect([(await a.renew()).surplus, (await b.renew()).surplus]).toEqual([0, 0])
})

it('writes nothing under a lease that another replica has taken', async () => {
  const { replica, pass, query } = world()
  const [a, b] = [replica('a'), replica('b')]
  await started(a)
  const write = a.writerOf('t1')
  await write('of a')
  pass(11, 'a')
  await started(b)
  await b.writerOf('t1')('of b')
  await expect(write('too late')).rejects.toMatchObject({ reason: 'aborted' })
  expect(query('select base_url from tenants where id = 1')).toEqual([{ base_url: 'of b' }])
  await a.renew()
  expect(a.held.size).toBe(0)
})

it('writes nothing under a lease that it released, even after it took it again', async () => {
  const { replica } = world()
  const a = replica('a')
  await started(a)
  const write = a.writerOf('t1')
  const before = a.held.get('t1')
  await a.release([...a.held.values()])
  await a.renew()
  await expect(write('too late')).rejects.toMatchObject({ reason: 'aborted' })
  await a.writerOf('t1')('in time')
  expect(a.held.get('t1')).not.toEqual(before)
})

it('owns nothing six seconds after it sent its last renewal, and the same leases after the next one', async () => {
  const { replica, clock } = world()
  const a = replica('a')
  await started(a)
  const before = a.held.get('t1')
  clock.ms += 6 * secondMs - 1
  expect(a.held.get('t1')).toBe(before)
  clock.ms += 1
  expect([a.held.size, a.isConfirmed, a.lastHeld.size]).toEqual([0, false, 5])
  await a.renew()
  expect(a.held.get('t1')).toBe(before)
})

it('takes a lease that lapsed again, under a new epoch', async () => {
  const { replica, pass } = world()
  const a = replica('a')
  await started(a)
  const before = a.held.get('t1')
  pass(11)
  expect([await a.renew(), a.held.size]).toEqual([{ takenOver: 0, unowned: 4, surplus: 0 }, 0])
  expect(await a.renew()).toEqual({ takenOver: 0, unowned: 0, surplus: 0 })
  expect(a.held.get('t1')?.epoch).toBe((before?.epoch ?? 0) + 1)
})

it('counts leases of the future as lapsed: the clock of the database was set back', async () => {
  const { replica, setBack } = world()
  const [a, b] = [replica('a'), replica('b')]
  await started(a)
  setBack()
  await started(b)
  expect([await b.renew(), owned(b)]).toEqual([expect.objectContaining({ unowned: 0 }), four.map(({ name }) => name)])
})

it('gives what it holds to the others when it leaves', async () => {
  const { replica, query } = world()
  const [a, b] = [replica('a'), replica('b')]
  await started(a)
  await b.renew()
  await a.leave()
  expect(await b.renew()).toMatchObject({ takenOver: 0 })
  expect([owned(b), b.held.has(null)]).toEqual([four.map(({ name }) => name).slice(0, 4), true])
  expect(query('select id from replicas')).toEqual([{ id: 'b' }])
})

it('registers again what a restore took away, and holds new leases', async () => {
  const { replica, query } = world()
  const a = replica('a')
  await started(a)
  query(`delete from tenants where name = 't4'`)
  query('delete from leases where tenant_id = 4')
  expect([await a.renew(), owned(a)]).toEqual([expect.objectContaining({ unowned: 0 }), four.map(({ name }) => name)])
  expect(a.held.get('t4')?.tenantId).toBe(5)
})

it('renews and takes nothing while the tables are those of another version', async () => {
  const { replica, clock } = world()
  const state = { isNewer: false }
  const assertTables = async () => {
    if (state.isNewer) throw new Error('newer')
  }
  const a = replica('a', four, { assertTables })
  await started(a)
  state.isNewer = true
  clock.ms += 6 * secondMs
  await expect(a.renew()).rejects.toThrow('newer')
  expect(a.held.size).toBe(0)
})

it('works alone once no replica lives, and replicas begin when it has ended', async () => {
  const { replica } = world()
  const [a, b, alone] = [replica('a'), replica('b'), replica('c', [], { alone: true })]
  await started(a)
  await alone.renew()
  expect(await alone.takeAll()).toBe(false)
  await b.renew()
  await a.leave()
  expect([(await b.renew()).unowned, await alone.takeAll()]).toEqual([4, false])
  await b.leave()
  expect([await alone.takeAll(), owned(alone)]).toEqual([true, four.map(({ name }) => name)])
  await started(a)
  expect(a.held.size).toBe(0)
  await alone.leave()
  await a.renew()
  expect(owned(a)).toEqual(four.map(({ name }) => name))
})

it('takes tenants of a command that died only after its lease of everything', async () => {
  const { replica, pass } = world()
  const [a, alone] = [replica('a'), replica('c', [], { alone: true })]
  await started(a)
  await a.leave()
  await alone.renew()
  await alone.takeAll()
  pass(11, 'c')
  await started(a)
  expect([...a.held.keys()]).toEqual([null])
  await a.renew()
  expect(owned(a)).toEqual(four.map(({ name }) => name))
})
