import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { dayMs } from '../../../../src/model/durations.ts'
import { systemClock } from '../../../../src/model/process/system-clock.ts'
import { PostgresDb } from '../../../../src/store/db/postgres/postgres-db.ts'
import { openPostgresMirror, postgresMirror } from '../../../../src/store/db/postgres/postgres-mirror.ts'
import type { Mirror } from '../../../../src/store/port.ts'
import { isOnServer, testOptions, testPostgres } from '../../../support/postgres.ts'
import { incomingUser } from '../../support/incoming-user.ts'

const onServer = it.runIf(isOnServer)
/** In this database: other tests use the server at the same time. */
const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
const start = Date.parse('2026-03-01T12:00:00Z')
const tenantId = 1
const ofUsers = { tenantId, resource: 'users', requestId: 'r', recordCreations: true } as const

const leaseOf = (id: number) => ['select 1 from leases where tenant_id = ? and epoch = 1', [id]] as const

/** A tenant with its owner, the work of no tenant, and a command beside them. Some writes wait for a gate before they end. */
async function world() {
  const postgres = testPostgres()
  onTestFinished(() => postgres.drop())
  const { query, url } = postgres
  query(`insert into tenants (id, name, base_url, created_at) values (${tenantId}, 'acme', 'https://x', 1)`)
  query(
    `insert into leases (tenant_id, owner, epoch, until, since) values (0, 'a', 1, now(), now()), (1, 'a', 1, now(), now())`,
  )
  query(`create function wait_at_gate() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(42); return null; end $$`)
  query(`create trigger late after insert on accepted_states for each row when (new.entity_id = 'late')
    execute function wait_at_gate()`)
  query('create trigger late after delete on changes for each row execute function wait_at_gate()')
  const connections = postgres.connect()
  onTestFinished(() => connections.end())
  const db = new PostgresDb(connections, testOptions)
  const options = { url: async () => url ?? '', clock: systemClock(), random: () => 0.5 }
  const openBeside = async () => {
    const beside = await openPostgresMirror({ ...options, role: 'beside' })
    onTestFinished(() => beside[Symbol.asyncDispose]())
    return beside
  }
  const gate = await connections.connect()
  onTestFinished(() => gate.release(true))
  await gate.query({ text: 'select pg_advisory_lock(42)' })
  return {
    query,
    owner: postgresMirror(db.fencedBy(...leaseOf(tenantId))),
    shared: postgresMirror(db.fencedBy(...leaseOf(0))),
    beside: await openBeside(),
    openBeside,
    open: () => gate.query({ text: 'select pg_advisory_unlock(42)' }),
    /** Until so many statements wait for a lock, or the work that should wait has ended. */
    async waiting(locks: number, work: Promise<unknown>): Promise<void> {
      let isOver = false
      const end = () => {
        isOver = true
      }
      work.then(end, end)
      while (!isOver && query(waits).length < locks) await nextTurn()
    },
  }
}

const accept = (mirror: Mirror, entityId: string) =>
  mirror.acceptStates([
    { tenantId, check: 'role-permissions-unchanged', entityId, state: 1, at: start, reason: 'Ticket 1' },
  ])

onServer('seals no row past an earlier one that a command commits later', async () => {
  const { owner, beside, waiting, open, query } = await world()
  const late = accept(beside, 'late')
  await waiting(1, late)
  // Another command would wait for the first one.
  query(
    `insert into accepted_states (tenant_id, "check", entity_id, state, at) values (?, 'role-permissions-unchanged', 'early', '1', ?)`,
    ...[tenantId, start],
  )
  await owner.seal(tenantId, start)
  expect(query('select sequence from audit_chain')).toEqual([])
  await open()
  await late
  expect(query('select entity_id as entity from accepted_states order by id')).toEqual([
    { entity: 'late' },
    { entity: 'early' },
  ])
  await owner.seal(tenantId, start)
  expect(query('select row_count as "rows" from audit_chain')).toEqual([{ rows: 2 }])
  expect(await beside.verifyChain(tenantId)).toMatchObject({ rows: 2, unsealed: 0, mismatches: [] })
})

onServer('seals nothing that an erasure under way erases', async () => {
  const { owner, shared, beside, waiting, open, query } = await world()
  await owner.commitPage({ ...ofUsers, items: [1, 2].map((id) => incomingUser(id)), at: start })
  await owner.commitPage({ ...ofUsers, items: [incomingUser(3)], at: start + 300 * dayMs })
  await shared.eraseOutdated({ before: new Map([[tenantId, start - dayMs]]), now: start })
  const erased = shared.eraseOutdated({ before: new Map([[tenantId, start + dayMs]]), now: start + 401 * dayMs })
  await waiting(1, erased)
  const sealed = owner.seal(tenantId, start + 401 * dayMs)
  await waiting(2, sealed)
  await open()
  await Promise.all([erased, sealed])
  expect(query('select row_count as "rows" from audit_chain')).toEqual([{ rows: 1 }])
  expect(await beside.verifyChain(tenantId)).toMatchObject({ rows: 1, unsealed: 0, mismatches: [] })
})

onServer('leaves the chain to the new owner of a tenant', async () => {
  const { owner, query, beside } = await world()
  await accept(beside, 'a')
  query('update leases set epoch = epoch + 1 where tenant_id = ? returning epoch', tenantId)
  await owner.seal(tenantId, start).catch((error: unknown) => expect(error).toMatchObject({ reason: 'aborted' }))
  expect(query('select sequence from audit_chain')).toEqual([])
})

onServer('accepts a state once, although two operators accept it at the same time', async () => {
  const { beside, openBeside, waiting, open, query } = await world()
  const of = (entityId: string, reason: string) => {
    return { tenantId, check: 'role-permissions-unchanged', entityId, state: { codes: ['A'] }, at: start, reason }
  }
  const one = beside.acceptStates([of('late', 'Ticket 1'), of('2', 'Ticket 1')])
  await waiting(1, one)
  const other = (await openBeside()).acceptStates([of('3', 'Ticket 2'), of('late', 'Ticket 2')])
  await waiting(2, other)
  await open()
  expect(await Promise.all([one, other])).toEqual([true, false])
  expect(query('select entity_id as entity, reason from accepted_states order by id')).toEqual([
    { entity: 'late', reason: 'Ticket 1' },
    { entity: '2', reason: 'Ticket 1' },
  ])
})
