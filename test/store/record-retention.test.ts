import { expect, it } from 'vitest'
import { dayMs, minuteMs } from '../../src/model/time.ts'
import { seenEvents } from '../support/events.ts'
import { testMirror } from '../support/mirror.ts'
import { removeRecords } from '../support/removal.ts'
import { incomingUser } from './support/incoming-user.ts'
import { commitResult, findingOf, resultOf } from './support/results.ts'

const start = Date.parse('2026-03-01T12:00:00Z')
const year1970 = 5 * dayMs

async function twoTenants() {
  const { mirror, query } = testMirror()
  const acme = (await mirror.openTenant('acme', 'https://x', start)).tenant.id
  const beta = (await mirror.openTenant('beta', 'https://y', start)).tenant.id
  const kept = () =>
    seenEvents(query, 'tenant.state').map((row) => ({
      tenant: row['tenant_id'],
      state: (row['state'] as { of: string }).of,
    }))
  const note = (tenantId: number, at: number, state: string) =>
    mirror.noteTenantState(tenantId, JSON.stringify({ of: state }), at)
  /** Erases what is over 400 days old; the first time only notes how old the mirror is. */
  const erase = async (earliest: number, latest = earliest, tenantIds = [acme, beta]) => {
    for (const tenantId of tenantIds)
      await mirror.eraseOutdated({ tenantId, before: earliest - 400 * dayMs, latest, at: earliest })
  }
  await erase(start)
  return { mirror, query, acme, beta, kept, note, erase }
}

it('erases the data of one tenant alone', async () => {
  const { mirror, query, acme, beta, kept, note, erase } = await twoTenants()
  const items = [incomingUser(1)]
  for (const tenantId of [acme, beta]) {
    for (const state of ['a', 'b']) await note(tenantId, start, state)
    const ofUsers = { tenantId, resource: 'users', at: start, requestId: null } as const
    await mirror.commitPage({ ...ofUsers, items, recordCreations: true })
    const [{ rid } = {}] = query('select rid from records where tenant_id = ?', tenantId)
    await removeRecords(mirror, { ...ofUsers, removedAt: start }, [Number(rid)])
    await commitResult(mirror, resultOf(tenantId, start, [[findingOf(`${tenantId}`)]], { problem: 'p' }))
    await commitResult(mirror, resultOf(tenantId, start, [[]], { problem: 'p' }))
  }
  const tables = ['records', 'events', 'findings', 'check_states', 'sync_states', 'event_chains']
  const ofBeta = () => tables.map((table) => query(`select * from ${table} where tenant_id = ?`, beta))
  const before = ofBeta()
  await erase(start + 401 * dayMs, undefined, [acme])
  expect(kept().map(({ tenant, state }) => [tenant, state])).toEqual([
    [acme, 'b'],
    [beta, 'a'],
    [beta, 'b'],
  ])
  expect(ofBeta()).toEqual(before)
  expect((await mirror.recordBounds([acme])).erasedBefore).toBe(start + dayMs)
  expect((await mirror.recordBounds([acme, beta])).erasedBefore).toBe(start + dayMs)
  expect((await mirror.recordBounds([beta])).erasedBefore).toBe(null)
  expect(await mirror.verifyChain(acme)).toMatchObject({ erased: 6, mismatches: [] })
  expect(await mirror.verifyChain(beta)).toMatchObject({ erased: 0 })
})

it('erases once a day, and notes up to when, which no wrong clock lowers', async () => {
  const { mirror, acme, kept, note, erase } = await twoTenants()
  const bound = async () => ((await mirror.recordBounds([acme])).erasedBefore ?? 0) - start
  for (const [days, state] of ['a', 'b', 'c'].entries()) await note(acme, start + days * dayMs, state)
  await erase(start + 402 * dayMs)
  expect([kept().length, await bound()]).toEqual([2, 2 * dayMs])
  await erase(start + 403 * dayMs - 1)
  expect([kept().length, await bound()]).toEqual([2, 2 * dayMs])
  await erase(start + 401 * dayMs)
  expect(await bound()).toBe(2 * dayMs)
  await erase(start + 403 * dayMs)
  expect([kept().length, await bound()]).toEqual([1, 3 * dayMs])
})

it('keeps rows written after a recent row, although a clock that fell back to 1970 dated them', async () => {
  const { acme, kept, note, erase } = await twoTenants()
  await note(acme, start, 'a')
  await note(acme, start + 300 * dayMs, 'b')
  await note(acme, year1970, 'c')
  await note(acme, year1970 + minuteMs, 'd')
  await erase(start + 401 * dayMs)
  expect(kept().map(({ state }) => state)).toEqual(['a', 'b', 'c', 'd'])
  await erase(start + 701 * dayMs)
  expect(kept().map(({ state }) => state)).toEqual(['d'])
})

it('counts the age of the mirror by the later clock, and from an earlier time once that shows one', async () => {
  const { acme, kept, note, erase } = await twoTenants()
  await note(acme, year1970, 'a')
  await note(acme, year1970 + minuteMs, 'b')
  await erase(year1970, start + 5000 * dayMs)
  await erase(start)
  await erase(start + 400 * dayMs)
  expect(kept()).toHaveLength(2)
  await erase(start + 400 * dayMs + 1)
  expect(kept()).toHaveLength(1)
})

it('knows a tombstone also after its names are erased, and none of a live record or one without a row', async () => {
  const { mirror, query, acme, beta, erase } = await twoTenants()
  const items = [incomingUser(1), incomingUser(2)]
  const at = { at: start, requestId: null, recordCreations: true }
  for (const tenantId of [acme, beta]) await mirror.commitPage({ tenantId, resource: 'users', items, ...at })
  const [{ rid } = {}] = query('select rid from users where tenant_id = ? and user_id = 1', acme)
  await removeRecords(mirror, { tenantId: acme, resource: 'users', at: start, removedAt: start, requestId: null }, [
    Number(rid),
  ])
  const found = async () => {
    const each = await Promise.all([acme, beta].map((id) => mirror.presence(id, 'users', ['1', '2', '3'])))
    return each.map((presence) => Object.fromEntries(presence))
  }
  const expected = [
    { 1: 'removed', 2: 'live' },
    { 1: 'live', 2: 'live' },
  ]
  expect(await found()).toEqual(expected)
  await erase(start + 401 * dayMs)
  expect(query('select email from users where removed_at is not null')).toEqual([{ email: null }])
  expect(await found()).toEqual(expected)
})
