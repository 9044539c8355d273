import { expect, it } from 'vitest'
import type { CursorKind } from '../../src/simulator/index.ts'
import { call, fullSync, records, start, startTime } from './support.ts'

it.each<CursorKind>(['keyset', 'offset'])(
  'shows only new users when the last cursor is replayed (%s)',
  async (kind) => {
    const readings = { cursorKind: { users: kind, documents: kind, apiClients: kind } }
    const simulator = await start({ readings })
    const { cursor } = await fullSync(simulator, '/users')
    const quiet = await call(simulator, `/users?cursor=${cursor}`)
    expect(records(quiet)).toEqual([])
    expect(quiet.body.pagination).toEqual({ limit: 50, nextCursor: cursor, hasMore: false })
    const added = [simulator.primary.users.add(), simulator.primary.users.add()]
    const next = await call(simulator, `/users?cursor=${cursor}`)
    expect(records(next).map(({ userId }) => userId)).toEqual(added.map(({ userId }) => userId))
    const { userId } = simulator.primary.users.update(1001, { state: 'Invited' })
    const later = await call(simulator, `/users?cursor=${next.body.pagination?.nextCursor}`)
    expect([userId, records(later)]).toEqual([1001, []])
  },
)

it('hides changes, but not uploads, behind the cursor of a feed by createdAt', async () => {
  const simulator = await start({ readings: { documentOrder: 'createdAt' } })
  const { records: documents, cursor } = await fullSync(simulator, '/documents')
  expect(documents.map(({ createdAt }) => createdAt)).toEqual(documents.map(({ createdAt }) => createdAt).toSorted())
  simulator.primary.documents.update(String(documents[3]?.['fileId']), { filename: 'Renamed.pdf' })
  const added = simulator.primary.documents.add()
  expect(records(await call(simulator, `/documents?cursor=${cursor}`))).toEqual([added])
})

it('does not show a user added in the middle to a keyset cursor beyond it', async () => {
  const simulator = await start()
  const { cursor, records: before } = await fullSync(simulator, '/users')
  const late = simulator.primary.users.add({ createdAt: String(before[125]?.['createdAt']) })
  expect(records(await call(simulator, `/users?cursor=${cursor}`))).toEqual([])
  const { records: users } = await fullSync(simulator, '/users')
  const at = users.findIndex(({ userId }) => userId === late.userId)
  expect(at).toBeGreaterThan(100)
  expect(at).toBeLessThan(150)
})

it('filters documents by updatedAfter and keeps the filter over the pages of the full sync', async () => {
  const simulator = await start({ sizes: { documents: 400 } })
  const after = new Date(startTime - 200 * 86_400_000).toISOString()
  const wanted = [...simulator.primary.documents.all()].filter(
    ({ createdAt, updatedAt }) => (updatedAt ?? createdAt) >= after,
  )
  const first = await call(simulator, `/documents?limit=20&updatedAfter=${after}`)
  const rest = await fullSync(simulator, '/documents?limit=20', first.body.pagination?.nextCursor ?? '')
  expect(wanted.length).toBeGreaterThan(40)
  expect([...records(first), ...rest.records]).toEqual(wanted)
})
