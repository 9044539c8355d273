import fc from 'fast-check'
import { expect, it } from 'vitest'
import { testMirror } from '../support/mirror.ts'
import { removeRecords } from '../support/removal.ts'
import { incomingUser as user } from './support/incoming-user.ts'

const at = Date.UTC(2026, 0, 1)
const requestId = 'r1'

/** Two tenants whose records alternate in blocks; a full sync of the first one then shows all users but `without`. */
async function absentOf(blocks: readonly number[], removed: ReadonlySet<number>, without: ReadonlySet<number>) {
  const { mirror, query } = testMirror()
  const acme = (await mirror.openTenant('acme', 'https://acme.example.com', at)).tenant.id
  const other = (await mirror.openTenant('globex', 'https://globex.example.com', at)).tenant.id
  const page = { resource: 'users' as const, at, requestId, recordCreations: false }
  let next = 1
  for (const [i, size] of blocks.entries()) {
    const items = Array.from({ length: size }, () => user(next++))
    await mirror.commitPage({ ...page, tenantId: i % 2 === 0 ? acme : other, items })
  }
  const stored = query(`select rid, user_id as id from users where tenant_id = ${acme} order by rid`) as {
    rid: number
    id: number
  }[]
  const gone = stored.filter(({ id }) => removed.has(id)).map(({ rid }) => rid)
  await removeRecords(mirror, { tenantId: acme, resource: 'users', at, removedAt: at, requestId }, gone)
  const live = stored.filter(({ id }) => !removed.has(id))
  const { id } = await mirror.startFullSync({ tenantId: acme, resource: 'users', at, cursorBefore: null })
  const ended = { pages: 1, reachedEnd: true, fullSyncMs: 0 }
  const items = live.filter((one) => !without.has(one.id)).map((one) => user(one.id))
  await mirror.commitPage({ ...page, tenantId: acme, items, fullSync: { id, next: ended } })
  const absence = await mirror.absence(id)
  return {
    live: absence.live,
    absent: absence.absent.map(({ key }) => Number(key)),
    expected: { live: live.length, absent: live.filter((one) => without.has(one.id)).map((one) => one.id) },
  }
}

it('finds exactly the live records that a full sync did not return, beside few and many records of others', async () => {
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 120 }), { maxLength: 8 }).map((all) => new Set(all))
  const sizes = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(sizes, ids, ids, async (blocks, removed, without) => {
      const { live, absent, expected } = await absentOf(blocks, removed, without)
      expect({ live, absent }).toEqual(expected)
    }),
    { numRuns: 25 },
  )
})
