import { expect, it } from 'vitest'
import type { Incoming, KnownPageCommit, PageCommit } from '../../src/store/port.ts'
import { testMirror } from '../support/mirror.ts'
import { incomingUser as user } from './support/incoming-user.ts'

const at = Date.UTC(2026, 0, 1)
const memory = { digest: 'd1', reading: 's1' }

/** A mirror in which a complete full sync showed two users on its one page. */
async function withKnownPage(items: readonly Incoming[] = [user(1), user(2)]) {
  const test = testMirror()
  const { mirror } = test
  const { tenant } = await mirror.openTenant('acme', 'https://api.example.com', at)
  const scope = { tenantId: tenant.id, resource: 'users' } as const
  const begin = () => mirror.startFullSync({ ...scope, at, cursorBefore: null })
  const advance = { nextCursor: null, cursorDigest: null, reachedEnd: true, fullSyncMs: 0 }
  const page = (rest: Partial<PageCommit> = {}): PageCommit => ({
    ...scope,
    items,
    at,
    requestId: 'r1',
    recordCreations: false,
    ...rest,
  })
  const complete = (fullSyncId: number, rest: { readonly absent?: readonly number[] } = {}) =>
    mirror.completeFullSync({
      fullSyncId,
      at,
      durationMs: 1,
      requestId: null,
      reachedEndServerTime: null,
      unsetAt: at,
      remove: [],
      absent: [],
      ...rest,
    })
  const first = await begin()
  await mirror.commitPage(page({ fullSync: { id: first.id, advance }, remember: { ...memory, note: 'n1' } }))
  await complete(first.id)
  /** Commits the page as known, in a full sync of its own. */
  const again = async (change: Partial<KnownPageCommit> = {}) => {
    const fullSync = await begin()
    const result = await mirror.commitKnownPage({
      ...scope,
      ...memory,
      at: at + 1,
      page: 1,
      fullSync: { id: fullSync.id, advance },
      ...change,
    })
    return { result, absent: (await mirror.absence(fullSync.id)).absent.map(({ key }) => key) }
  }
  const [{ rid } = { rid: 0 }] = test.query('select rid from users where user_id = 2') as { rid: number }[]
  return { ...test, scope, page, again, begin, complete, rid }
}

it('counts and notes the records of a known page as seen, and writes none of them', async () => {
  const { mirror, scope, again, query } = await withKnownPage()
  const before = query('select * from users')
  expect(await mirror.knownPage(1, 'users', 1, 's1')).toEqual({ digest: 'd1', records: 2, note: 'n1' })
  const { result, absent } = await again()
  expect(result).toMatchObject({ admitted: true, counts: { created: 0, updated: 0, unchanged: 2 } })
  expect(absent).toEqual([])
  expect(query('select * from users')).toEqual(before)
  expect((await mirror.openFullSync(scope.tenantId, 'users'))?.reachedEnd).toBe(true)
})

it('knows no page of another digest, reading, place, resource or tenant', async () => {
  const { mirror, again } = await withKnownPage()
  for (const change of [{ digest: 'd2' }, { reading: 's2' }, { page: 2 }, { resource: 'documents' as const }]) {
    expect((await again(change)).result).toBeNull()
  }
  expect((await again({ tenantId: 2 })).result).toBeNull()
  expect(await mirror.knownPage(1, 'users', 1, 's2')).toBeNull()
  expect(await mirror.knownPage(1, 'users', 2, 's1')).toBeNull()
})

it.each([
  ['changed', ({ mirror, page }) => mirror.commitPage(page({ items: [user(2, { state: 'Suspended' })] }))],
  ['removed', ({ mirror, scope, rid }) => mirror.remove(scope.tenantId, 'users', [rid], at, null)],
  ['marked missing', ({ mirror, scope, rid }) => mirror.markMissing(scope.tenantId, 'users', [rid], at)],
  ['absent from a full sync', async ({ begin, complete, rid }) => complete((await begin()).id, { absent: [rid] })],
  [
    'read by id',
    ({ mirror, scope }) => mirror.commitDetail({ ...scope, item: user(2, { roleId: 7 }), at, requestId: 'r2' }),
  ],
  [
    'changed and changed back',
    async ({ mirror, page }) => {
      await mirror.commitPage(page({ items: [user(2, { state: 'Suspended' })] }))
      await mirror.commitPage(page({ items: [user(2)] }))
    },
  ],
] satisfies [string, (known: Awaited<ReturnType<typeof withKnownPage>>) => Promise<unknown>][])(
  'must read a page again when one of its records was %s',
  async (_, happens) => {
    const known = await withKnownPage()
    await happens(known)
    const before = known.query('select * from users')
    const { result, absent } = await known.again()
    expect(result).toBeNull()
    expect(absent).toContain('1')
    expect(known.query('select * from users')).toEqual(before)
  },
)

it('must read a page again while a removal is accepted, which being seen withdraws', async () => {
  const { mirror, scope, again } = await withKnownPage()
  const hold = { ...scope, reason: 'shrink_held', count: 1, message: 'm', cause: {}, rids: [2], at } as const
  const { id } = await mirror.raiseHold(hold)
  const decision = { id: 1, holdId: id, resource: 'users', holdReason: 'shrink_held', reason: 'why' } as const
  await mirror.applyDecision(decision, { tenantId: scope.tenantId, at, coversKnown: true })
  expect((await again()).result).toBeNull()
})

it('knows a page again that a change elsewhere does not touch', async () => {
  const { mirror, page, again } = await withKnownPage()
  await mirror.commitPage(page({ items: [user(3)] }))
  expect((await again()).result).not.toBeNull()
})

it.each([
  ['an invalid record', [user(1), { ok: false, id: 2, raw: {}, problem: 'p' }]],
  ['a record twice', [user(1), user(1, { state: 'Suspended' })]],
  ['no record', []],
] satisfies [string, Incoming[]][])('does not remember a page with %s', async (_, items) => {
  const { mirror, scope } = await withKnownPage(items)
  expect(await mirror.knownPage(scope.tenantId, 'users', 1, 's1')).toBeNull()
})

it('forgets the pages behind the end of a shorter full sync', async () => {
  const { mirror, scope, begin, complete } = await withKnownPage()
  await complete((await begin()).id)
  expect(await mirror.knownPage(scope.tenantId, 'users', 1, 's1')).toBeNull()
})
