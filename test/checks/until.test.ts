import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import type { Check, Outcome } from '../../src/evaluate/check.ts'
import type { ResourceName } from '../../src/model/resource-names.ts'
import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts'
import type { ChangeRow, RecordReader } from '../../src/store/records/query.ts'
import { contextOf } from './support/evaluator.ts'
import { client, document, iso, now, role, settings, user } from './support/facts.ts'
import { readerOf } from './support/records.ts'

/** An instant near those at which a limit passes, or anywhere around now. */
const instant = fc.oneof(
  fc
    .tuple(fc.constantFrom(0, hourMs, 2 * hourMs, dayMs, 2.5 * dayMs, 3 * dayMs), fc.integer({ min: -2, max: 2 }))
    .chain(([distance, ms]) => fc.constantFrom(now - distance + ms, now + distance + ms)),
  fc.integer({ min: now - 4 * dayMs, max: now + 4 * dayMs }),
  fc.integer({ min: now - 3 * hourMs, max: now + 3 * hourMs }),
)
const status = fc.constantFrom('Completed', 'Processing', 'Failed', 'Odd', null)
const state = fc.constantFrom('Active', 'Invited', 'Suspended')
const roleName = fc.constantFrom('Reader', 'Twin', 'Gone', null)

const change = (resource: ResourceName, key: string) =>
  fc
    .record({
      at: instant,
      field: fc.constantFrom(
        'uploadStatus',
        'uploadStatus',
        'uploadStatus',
        'updatedAt',
        'createdAt',
        'state',
        'email',
      ),
      status: fc.constantFrom('Odd', 'Odd', 'Completed', 'Processing', null),
      when: instant,
      state,
    })
    .map(({ at, field, status, when, state }): ChangeRow => {
      const about = { resource, key, requestId: null, kind: 'changed' as const }
      const befores: Record<string, unknown> = { uploadStatus: status, state, email: 'ada@example.com' }
      return { id: at, ...about, at, field, before: field in befores ? befores[field] : iso(when), after: null }
    })
const history = (resource: ResourceName, key: string) =>
  fc.array(change(resource, key), { maxLength: 4 }).map((changes) => changes.toSorted((a, b) => a.at - b.at))

const world = fc.record({
  expiry: instant,
  created: instant,
  updated: fc.option(instant),
  firstSeen: instant,
  detailRead: fc.option(instant),
  status,
  state,
  roleName,
  roleId: fc.constantFrom(null, 1, 2, 3),
  isAbsent: fc.boolean(),
  mfaStatus: fc.boolean(),
  ofUser: history('users', '1'),
  ofDocument: history('documents', 'd1'),
  other: fc.option(instant),
})

type World = typeof world extends fc.Arbitrary<infer T> ? T : never

function readerOfSeen(seen: World): RecordReader {
  const { roleId, roleName, state, mfaStatus, firstSeen: firstSeenAt } = seen
  const detail = seen.detailRead === null ? {} : { detailReadAt: seen.detailRead }
  const [createdAt, updatedAt] = [iso(seen.created), seen.updated === null ? null : iso(seen.updated)]
  const other = seen.other === null ? [] : [document({ fileId: 'd2', createdAt: iso(seen.other) })]
  return readerOf(
    {
      'api-clients': [client({ secretExpirationDate: iso(seen.expiry), roleName })],
      'authentication-settings': [settings()],
      documents: [[document({ createdAt, updatedAt, uploadStatus: seen.status }), { firstSeenAt }], ...other],
      permissions: [{ permissionId: 1, name: 'read', code: 'Api_Users_Read' }],
      roles: [
        role(),
        role({ roleId: 2, name: 'Twin' }, ['Api_Users_Create']),
        role({ roleId: 3, name: 'Twin', state: 'Inactive' }),
      ],
      users: [[user({ createdAt, roleId, roleName, state, mfaStatus }), { ...detail, firstSeenAt }]],
    },
    { changes: [...seen.ofUser, ...seen.ofDocument], absent: seen.isAbsent ? ['d1'] : [] },
  )
}

const options: Readonly<Record<string, object>> = {
  'api-client-secret-lifetime': { days: 2.500_000_01 },
  'api-client-secret-not-expiring': { days: 3, highDays: 1 },
  'document-current': { days: 2.5 },
  'document-processing-finished': { hours: 2, statuses: ['Processing', 'Failed'] },
  'document-required-present': { requirements: [{ id: 'policy', pattern: 'policy*', maxAgeDays: 2.5 }] },
  'document-status-known': { hours: 2 },
  'user-invitation-accepted': { days: 1, highDays: 2.500_000_01 },
  'user-least-privilege': { allowed: ['Api_Users_Read'], roleIdHours: 2 },
  'user-role-active': { roleIdHours: 2 },
}

type Seen = ReadonlyMap<string, Outcome>

async function outcomesAt(check: Check, reader: RecordReader, at: number, done: readonly string[]): Promise<Seen> {
  const all = async (resource: ResourceName) => (await Array.fromAsync(reader.select(resource))).flat()
  const needed = new Map(await Promise.all(check.needs.map(async (name) => [name, await all(name)] as const)))
  const others = { 'document-required-present': { statuses: done } }
  const context = contextOf({ at, others, rolesReadAt: now }, needed)
  const evaluator = check.begin?.({ ...options[check.id] }, context)
  if (evaluator === undefined) throw new TypeError(`${check.id} evaluates no records`)
  const outcomes = new Map<string, Outcome>()
  for (const record of await all(check.evaluates)) {
    const changes = evaluator.readsHistoryOf?.(record) === true ? await reader.history(check.evaluates, record.key) : []
    const outcome = evaluator.record(record, changes)
    if (outcome !== null) outcomes.set(record.key, outcome)
  }
  for (const [id, outcome] of evaluator.end?.() ?? []) outcomes.set(id, outcome)
  return outcomes
}

/** What `until` is about. */
function brief(outcome: Outcome | undefined): string {
  if (outcome === undefined) return 'none'
  const { kind } = outcome
  return kind === 'fails' ? `fails ${outcome.severity}` : JSON.stringify({ ...outcome, until: undefined })
}

it.each(checks)(
  'names the instant at which time changes the outcome of $id, to the millisecond',
  async (check) => {
    const done = fc.constantFrom(['Completed'], ['Odd'])
    await fc.assert(
      fc.asyncProperty(world, done, fc.double({ min: 0, max: 1, noNaN: true }), async (seen, done, share) => {
        const reader = readerOfSeen(seen)
        const before = await outcomesAt(check, reader, now, done)
        for (const [id, outcome] of before) {
          const { until = now + 30 * dayMs } = outcome
          expect(until).toBeGreaterThan(now)
          const at = now + Math.floor((until - 1 - now) * share)
          const changed = [...seen.ofUser, ...seen.ofDocument].map((one) => one.at)
          for (const same of [at, until - 1, ...changed.filter((one) => now < one && one < until)])
            expect([same, brief((await outcomesAt(check, reader, same, done)).get(id))]).toEqual([same, brief(outcome)])
          if (outcome.until === undefined) continue
          expect(brief((await outcomesAt(check, reader, until, done)).get(id))).not.toBe(brief(outcome))
        }
      }),
      { numRuns: 600 },
    )
  },
  minuteMs,
)
