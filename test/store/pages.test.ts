import { expect, it } from 'vitest'
import type { Reading } from '../../src/model/reading.ts'
import type { PageCommit } from '../../src/store/port.ts'
import { testMirror } from '../support/mirror.ts'
import { markMissing, removeRecords } from '../support/removal.ts'
import { incomingUser as user } from './support/incoming-user.ts'

const at = Date.UTC(2026, 0, 1)

async function opened() {
  const test = testMirror()
  const { tenant } = await test.mirror.openTenant('acme', 'https://api.example.com', at)
  const page = (items: readonly Reading[], rest: Partial<PageCommit> = {}): PageCommit => ({
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

it('keeps the unknown fields of the list when an answer by id knows others', async () => {
  const { mirror, tenantId, page, records } = await opened()
  const listed = { ...user(1), extra: { locale: 'de' } } as Reading
  const byId = { ...user(1, { roleId: 7 }), extra: { avatar: null } } as Reading
  await mirror.commitPage(page([listed]))
  await mirror.saveDetails(tenantId, 'users', [{ item: byId, at: at + 1, requestId: 'r2' }])
  const again = await mirror.commitPage(page([listed]))
  expect(again.counts).toMatchObject({ updated: 0, unchanged: 1 })
  expect((await records())[0]).toMatchObject({ extra: { locale: 'de' }, fields: { roleId: 7 } })
})

it('gives the changes of a list since a time, with what a removed record was', async () => {
  const { mirror, tenantId, page } = await opened()
  const whole = { startedAt: at, durationMs: 1, serverTime: at }
  const role = (roleId: number, name: string): Reading => ({
    ok: true,
    record: { roleId, name, description: null, state: 'Active', type: 'User', isReadOnly: false, permissions: [] },
    extra: null,
    oddities: [],
  })
  const list = (items: readonly Reading[], since: number) =>
    mirror.commitPage(page(items, { resource: 'roles', whole, at: since }))
  await list([role(1, 'Reader'), role(2, 'Maker')], at)
  await list([role(1, 'Old'), role(2, 'Maker')], at + 1)
  await list([role(1, 'Old')], at + 2)
  const reader = mirror.records(tenantId)
  expect(await reader.changesSince('roles', at + 1)).toMatchObject([
    { key: '1', kind: 'changed', field: 'name', before: 'Reader', after: 'Old' },
    { key: '2', kind: 'removed', before: { name: 'Maker' } },
  ])
  expect([await reader.changesSince('roles', at + 3), await reader.changesSince('users', at)]).toEqual([[], []])
})

it.each(['removed', 'missing'])('takes a %s document as returned that comes in an older version', async (state) => {
  const { mirror, query, tenantId, page } = await opened()
  const of = { tenantId, resource: 'documents' } as const
  const version = (updatedAt: string | null) => {
    const record = { fileId: '1', filename: '1', uploadStatus: 'Completed', createdAt: '2026-01-01', updatedAt }
    return mirror.commitPage(page([{ ok: true, record, extra: null, oddities: [] }], of))
  }
  const { rids } = await version('2026-01-05')
  if (state === 'missing') await markMissing(mirror, of, rids, at)
  else await removeRecords(mirror, { ...of, at, removedAt: at, requestId: null }, rids)
  await version(null)
  expect(query('select removed_at, missing_since from records')).toEqual([{ removed_at: null, missing_since: null }])
})

it('writes a quarantined record once while it stays the same', async () => {
  const { mirror, tenantId, page } = await opened()
  const bad: Reading = { ok: false, id: 1, raw: { userId: 1 }, problem: 'mfaStatus is missing' }
  await mirror.commitPage(page([bad]))
  const before = await mirror.syncState(tenantId, 'users')
  expect(await mirror.commitPage(page([bad]))).toMatchObject({ counts: { quarantined: 1 } })
  expect(await mirror.syncState(tenantId, 'users')).toEqual(before)
})
