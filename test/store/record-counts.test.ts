import fc from 'fast-check'
import { expect, it } from 'vitest'
import { dayMs } from '../../src/model/durations.ts'
import type { Mirror } from '../../src/store/port.ts'
import { now } from '../checks/support/evaluator.ts'
import { document, role, user } from '../checks/support/facts.ts'
import { eraseAll } from '../support/erasure.ts'
import { testMirror } from '../support/mirror.ts'
import { markMissing, removeRecords } from '../support/removal.ts'

const text = fc.oneof(
  fc.constantFrom('Active', 'Invited', '"quoted"', 'a,b', '\\', '\u0000', 'tab\there', 'é 😀', '\u2028', '1', 'null'),
  fc.string({ unit: 'binary', maxLength: 6 }),
)
const userFields = fc.record({
  userId: fc.integer({ min: 1, max: 6 }),
  state: text,
  mfaStatus: fc.boolean(),
  mfaAction: fc.boolean(),
  roleId: fc.option(fc.integer({ min: 1, max: 3 })),
  roleName: fc.option(text),
})
const documentFields = fc.record({
  fileId: fc.constantFrom('a', 'b', 'c'),
  uploadStatus: fc.option(text),
})
const rids = fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { maxLength: 4 })

/** One thing that befalls the records of a tenant. */
const step = fc.oneof(
  fc.record({ do: fc.constant('users' as const), items: fc.array(userFields, { maxLength: 5 }) }),
  fc.record({ do: fc.constant('detail' as const), item: userFields }),
  fc.record({ do: fc.constant('documents' as const), items: fc.array(documentFields, { maxLength: 5 }) }),
  fc.record({ do: fc.constant('roles' as const), names: fc.uniqueArray(fc.integer({ min: 1, max: 4 })) }),
  fc.record({ do: fc.constantFrom('missing' as const, 'remove' as const, 'removeDocuments' as const), rids }),
  fc.record({ do: fc.constant('purge' as const) }),
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const ok = (record: Readonly<Record<string, unknown>>) => ({ ok: true as const, record, extra: null })
const about = { at: now, requestId: 'req-1', recordCreations: true }

async function perform(mirror: Mirror, tenantId: number, one: Step): Promise<unknown> {
  switch (one.do) {
    case 'users':
      return mirror.commitPage({
        ...about,
        tenantId,
        resource: 'users',
        items: one.items.map((item) => ok(user(item))),
      })
    case 'detail':
      return mirror.saveDetails(tenantId, 'users', [{ ...about, item: ok(user(one.item)) }])
    case 'documents': {
      const items = one.items.map((item) => ok(document(item)))
      return mirror.commitPage({ ...about, tenantId, resource: 'documents', items })
    }
    case 'roles': {
      const items = one.names.map((roleId) => ok(role({ roleId, state: roleId % 2 === 0 ? 'Active' : 'Inactive' })))
      const whole = { startedAt: now, durationMs: 1, serverTime: now }
      return mirror.commitPage({ ...about, tenantId, resource: 'roles', items, whole })
    }
    case 'missing':
      return markMissing(mirror, { tenantId, resource: 'users' }, one.rids, now)
    case 'remove':
      return removeRecords(mirror, { ...about, tenantId, resource: 'users', removedAt: now }, one.rids)
    case 'removeDocuments':
      return removeRecords(mirror, { ...about, tenantId, resource: 'documents', removedAt: now }, one.rids)
    case 'purge':
      return eraseAll(mirror, now + dayMs)
    default:
      throw new TypeError(`Unknown step ${one satisfies never}`)
  }
}

it('keeps the number of live records with the records, whatever befalls them', async () => {
  const { mirror, wrongCounts } = testMirror()
  let name = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), step), { maxLength: 12 }), async (steps) => {
      const tenants = await Promise.all(['a', 'b'].map((one) => mirror.openTenant(`${one}-${name++}`, 'https://x', 1)))
      const [first = 0, second = 0] = tenants.map(({ tenant }) => tenant.id)
      for (const [isFirst, one] of steps) await perform(mirror, isFirst ? first : second, one)
      expect(wrongCounts()).toEqual([])
    }),
    { numRuns: 150 },
  )
})
