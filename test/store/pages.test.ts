import BetterSqlite3 from 'better-sqlite3'
import { expect, it } from 'vitest'
import type { Incoming, Mirror, PageCommit } from '../../src/store/port.ts'
import { testMirror } from '../support/mirror.ts'
import { onPostgres } from '../support/test-database.ts'
import { incomingUser as user } from './support/incoming-user.ts'

const at = Date.UTC(2026, 0, 1)

async function opened() {
  const test = testMirror()
  const { tenant } = await test.mirror.openTenant('acme', 'https://api.example.com', at)
  const page = (items: readonly Incoming[], rest: Partial<PageCommit> = {}): PageCommit => ({
    tenantId: tenant.id,
    resource: 'users',
    items,
    at,
    requestId: 'r1',
    recordCreations: true,
    ...rest,
  })
  const records = async () => {
    const all = []
    for await (const batch of test.mirror.records(tenant.id).select('users')) all.push(...batch)
    return all
  }
  return { ...test, tenantId: tenant.id, page, records }
}

/** Stores an answer by id. */
function detail(mirror: Mirror, tenantId: number, item: Incoming) {
  return mirror.saveDetails(tenantId, 'users', [{ item, at: at + 1, requestId: 'r2' }])
}

it('writes a page once and leaves equal records alone', async () => {
  const { mirror, page, query } = await opened()
  const first = await mirror.commitPage(page([user(1), user(2)], { cursor: 'c1' }))
  const changes = query('select total_changes() as n')
  const again = await mirror.commitPage(page([user(1), user(2)], { at: at + 1, requestId: 'r2' }))
  expect(first.counts).toMatchObject({ created: 2, unchanged: 0 })
  expect(again.counts).toMatchObject({ created: 0, updated: 0, unchanged: 2 })
  expect(query('select request_id from users')).toEqual([{ request_id: 'r1' }, { request_id: 'r1' }])
  expect(changes).toHaveLength(1)
})

it('records each changed field with its old and new value and the request that brought it', async () => {
  const { mirror, tenantId, page } = await opened()
  await mirror.commitPage(page([user(1)]))
  const result = await mirror.commitPage(page([user(1, { mfaStatus: false, state: 'Suspended' })], { requestId: 'r2' }))
  expect(result.counts.updated).toBe(1)
  const history = await mirror.records(tenantId).history('users', '1')
  expect(history.map(({ kind, field, before, after, requestId }) => [kind, field, before, after, requestId])).toEqual([
    ['created', null, null, null, 'r1'],
    ['changed', 'state', 'Active', 'Suspended', 'r2'],
    ['changed', 'mfaStatus', true, false, 'r2'],
  ])
})

it('never lets the null roleId of the list overwrite a known one', async () => {
  const { mirror, tenantId, page, records } = await opened()
  await mirror.commitPage(page([user(1)]))
  await detail(mirror, tenantId, user(1, { roleId: 7 }))
  await mirror.commitPage(page([user(1, { firstName: 'Augusta' })]))
  expect((await records())[0]?.fields).toMatchObject({ roleId: 7, firstName: 'Augusta' })
})

it('drops a known roleId in the transaction that changes the role name', async () => {
  const { mirror, tenantId, page, records } = await opened()
  await mirror.commitPage(page([user(1)]))
  await detail(mirror, tenantId, user(1, { roleId: 7 }))
  await mirror.commitPage(page([user(1, { roleName: 'Owner' })]))
  expect((await records())[0]?.fields).toMatchObject({ roleId: null, roleName: 'Owner' })
  await detail(mirror, tenantId, user(1, { roleId: 9, roleName: 'Owner' }))
  const history = await mirror.records(tenantId).history('users', '1')
  expect(history.filter(({ field }) => field === 'roleId').map(({ before, after }) => [before, after])).toEqual([
    [7, 9],
  ])
})

it('distinguishes records that differ only after their stored part', async () => {
  const { mirror, page, query } = await opened()
  const bad = (last: string): Incoming => ({
    ok: false,
    id: null,
    raw: { note: 'x'.repeat(70_000), last },
    problem: 'p',
  })
  await mirror.commitPage(page([bad('a'), bad('b')]))
  expect(query('select length(raw) as n from quarantine order by resource, key')).toEqual([
    { n: 65_536 },
    { n: 65_536 },
  ])
})

it('refuses a whole page when its preview is not admitted', async () => {
  const { mirror, page, records } = await opened()
  const result = await mirror.commitPage(page([user(1), user(2)], { cursor: 'c', admit: ({ known }) => known > 0 }))
  expect(result.admitted).toBe(false)
  expect(await records()).toEqual([])
})

it('compares GUIDs without regard to letter case and exports them as sent', async () => {
  const { mirror, tenantId, page } = await opened()
  const client = (clientId: string): Incoming => ({
    ok: true,
    record: { clientId, name: 'a', roleName: 'b', secretExpirationDate: '2026-05-01T00:00:00Z', createdAt: null },
    extra: null,
  })
  const upper = '6F9619FF-8B86-D011-B42D-00C04FC964FF'
  await mirror.commitPage(page([client(upper)], { resource: 'api-clients' }))
  const again = await mirror.commitPage(page([client(upper.toLowerCase())], { resource: 'api-clients' }))
  expect(again.counts).toMatchObject({ created: 0, unchanged: 1 })
  for await (const [record] of mirror.records(tenantId).select('api-clients'))
    expect(record?.fields['clientId']).toBe(upper)
})

it('reports the dates that moved later, by their instants, and keeps each change of an instant in the history', async () => {
  const { mirror, tenantId, page } = await opened()
  const client = (secretExpirationDate: string): Incoming => ({
    ok: true,
    record: { clientId: 'c1', name: 'a', roleName: 'b', secretExpirationDate, createdAt: null },
    extra: null,
  })
  const later = []
  for (const date of ['2026-05-01', '2026-05-01T00:00:00Z', '2026-06-01', '2026-04-01', '2026-04-01T01:00:00+01:00']) {
    const { laterDates } = await mirror.commitPage(page([client(date)], { resource: 'api-clients' }))
    later.push(laterDates)
  }
  expect(later).toEqual([{}, {}, { secretExpirationDate: 1 }, {}, {}])
  const history = await mirror.records(tenantId).history('api-clients', 'c1')
  expect(history.filter(({ field }) => field === 'secretExpirationDate')).toHaveLength(2)
})

it('keeps the unknown fields of the list when an answer by id knows others', async () => {
  const { mirror, tenantId, page, records } = await opened()
  const listed = { ...user(1), extra: { locale: 'de' } } as Incoming
  const byId = { ...user(1, { roleId: 7 }), extra: { avatar: null } } as Incoming
  await mirror.commitPage(page([listed]))
  await detail(mirror, tenantId, byId)
  const again = await mirror.commitPage(page([listed]))
  expect(again.counts).toMatchObject({ updated: 0, unchanged: 1 })
  expect((await records())[0]).toMatchObject({ extra: { locale: 'de' }, fields: { roleId: 7 } })
})

it.each([49, 50, 51, 150, 163])('writes %i new records beside known ones, each under its own id', async (count) => {
  const { mirror, tenantId, page, query } = await opened()
  await mirror.commitPage(page([user(7), user(400)]))
  const [{ last }] = query('select max(rid) as last from users') as [{ last: number }]
  const fullSync = await mirror.startFullSync({ tenantId, resource: 'users', at, cursorBefore: null })
  const items = [user(7), ...Array.from({ length: count }, (_, i) => user(100 + i)), user(400)]
  const next = { pages: 1, reachedEnd: true, fullSyncMs: 1 }
  const { counts } = await mirror.commitPage(
    page(items, { at: at + 1, requestId: 'r2', fullSync: { id: fullSync.id, next } }),
  )
  expect(counts).toMatchObject({ created: count, unchanged: 2 })
  const written = query(`select rid, user_id, email from users where request_id = 'r2' order by rid`)
  expect(written).toEqual(
    Array.from({ length: count }, (_, i) => {
      const { record } = user(100 + i) as unknown as { record: { email: string } }
      return { rid: last + 1 + i, user_id: 100 + i, email: record.email }
    }),
  )
  const [shown] = query('select rids from full_sync_pages') as [{ rids: Buffer }]
  expect(shown.rids.length).toBe(4 * (count + 2))
  expect(query(`select count(*) as n from events where kind = 'record.created'`)).toEqual([{ n: count + 2 }])
})

it.skipIf(onPostgres)('leaves nothing of a page whose last new records cannot be written', async () => {
  const { mirror, path, page, query } = await opened()
  const beside = new BetterSqlite3(path)
  beside.exec(
    `create trigger refused before insert on records when new.key = '61' begin select raise(abort, 'no'); end`,
  )
  beside.close()
  const items = Array.from({ length: 70 }, (_, i) => user(1 + i))
  await expect(mirror.commitPage(page(items, { cursor: 'c1' }))).rejects.toMatchObject({ reason: 'store' })
  for (const table of ['records', 'events', 'sync_states']) expect(query(`select * from ${table}`)).toEqual([])
})
