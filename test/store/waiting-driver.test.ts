import BetterSqlite3 from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { dayMs, minuteMs } from '../../src/model/durations.ts'
import type { Database } from '../../src/store/database.ts'
import type { CheckResult, NewFinding, NotedWaiver } from '../../src/store/port.ts'
import { SqliteDatabase } from '../../src/store/sqlite/database.ts'
import { keepWaiverRecord } from '../../src/store/sqlite/triggers.ts'
import { storesOver } from '../../src/store/stores.ts'
import { now } from '../checks/support/evaluator.ts'
import { testMirror } from '../support/mirror.ts'
import { check, findingOf, resultOf } from './support/results.ts'
import { WaitingDatabase } from './support/waiting-database.ts'

/** More than one transaction takes. */
const many = 300

type Stores = ReturnType<typeof storesOver>

async function opened<Driver extends Database>(driverOf: (path: string) => Driver) {
  const { mirror, path, query } = testMirror()
  const { tenant } = await mirror.openTenant('acme', 'https://x', 1)
  const database = driverOf(path)
  return { database, tenantId: tenant.id, query, stores: storesOver(database) }
}

const waiting = () => opened((path) => new WaitingDatabase(path))

const atOnce = () =>
  opened((path) => {
    const raw = new BetterSqlite3(path)
    onTestFinished(() => void raw.close())
    keepWaiverRecord(raw)
    return new SqliteDatabase(raw)
  })

const finding = (id: number, more?: Partial<NewFinding>) =>
  findingOf(id, { severity: id % 2 === 0 ? 'low' : 'high', facts: () => '{"enrolled":false}', ...more })

const findings = (count: number, more: Partial<NewFinding> = {}) =>
  Array.from({ length: count }, (_, id) => finding(id, more))

const checkResult = (tenantId: number, failing: readonly NewFinding[], at: number, more?: Partial<CheckResult>) =>
  resultOf(tenantId, at, [failing], more)

/** A waiver of everything, results that make it lapse, clock steps and reports, as the operations return them. */
async function* workThrough(stores: Stores, tenantId: number): AsyncGenerator<unknown> {
  const waiver: NotedWaiver = {
    id: 'w',
    check,
    entity: '*',
    entityKey: '*',
    terms: 't',
    since: now,
    expiresAt: now + dayMs,
  }
  const terms = { waiver: 'w', terms: 't' }
  yield await stores.noteTime(now)
  yield await stores.noteConfiguration({ at: now, digest: 'd', content: '{}' })
  yield await stores.noteConfiguration({ at: now, digest: 'd', content: '{}' })
  yield await stores.noteTenantState(tenantId, '{}', now)
  yield await stores.noteTenantState(tenantId, '{}', now + 1)
  yield await stores.noteWaiver(tenantId, waiver)
  yield await stores.commitResult(checkResult(tenantId, findings(many), now))
  yield await stores.notedWaivers(tenantId)
  yield await stores.commitResult(checkResult(tenantId, findings(many), now + minuteMs))
  yield await stores.storeConfirmations()
  yield await stores.checkStates(tenantId)
  const other = checkResult(tenantId, [finding(1, { fingerprint: 'o1' })], now + minuteMs, { check: 'other' })
  const batch = stores.resultBatch()
  yield await batch.add(other)
  yield await batch.add(checkResult(tenantId, findings(many, { severity: 'critical' }), now + 2 * minuteMs))
  yield await batch.commit()
  const changed = [finding(0, { facts: () => '{"enrolled":null}', message: 'Changed.' }), ...findings(3).slice(1)]
  yield await stores.commitResult(checkResult(tenantId, changed, now + 3 * minuteMs))
  const others = [finding(1, { evidence: { id: 'new' }, isSameEntity: () => false })]
  yield await stores.commitResult(checkResult(tenantId, others, now + 4 * minuteMs))
  yield await stores.lapses(['f0', 'f1'])
  yield await stores.lapseCounts(tenantId, check)
  yield await stores.lapsedUnderAll(tenantId, check, [terms])
  yield await stores.lapsesAt(tenantId, now + 3 * minuteMs, 10)
  yield await stores.waiverBreadth(tenantId)
  yield await stores.noteAcceptances(tenantId, waiver, [{ ...accepted, fingerprint: 'o1' }], now)
  yield await stores.keepFirstStates(tenantId, check, [{ entityId: '1', state: [1] }], now)
  yield await stores.keepFirstStates(tenantId, check, [{ entityId: '1', state: [2] }], now)
  yield await stores.acceptStates([{ tenantId, check, entityId: '1', state: null, at: now, reason: 'known' }])
  yield [await stores.acceptedStates(tenantId, check), await stores.acceptedVersion(tenantId, check)]
  for (const problem of ['odd', 'odd', 'odder', null, 'odd']) yield await stores.noteProblem(tenantId, check, problem)
  yield await stores.checkProblems(tenantId)
  yield await stores.confirmResult(tenantId, check, now + 10 * minuteMs)
  yield await stores.storeConfirmations()
  yield await stores.confirmResult(tenantId, check, now + dayMs)
  yield await stores.noteTime(now - dayMs)
  yield await stores.noteTime(now - dayMs + 2 * minuteMs)
  yield await stores.unconfirmedTime()
  yield await stores.confirmTime(now - dayMs + 3 * minuteMs)
  yield [await stores.unconfirmedTime(), await stores.isOfWrongClock('f1', now)]
  yield* listed(stores, tenantId)
  const past = await stores.past(now + 3 * minuteMs, false)
  yield [await past.configuration(), await past.tenantState(tenantId), await past.runs(tenantId)]
  yield [await past.checkStates(tenantId), await past.isLive(tenantId, 'users', '1')]
  yield await Array.fromAsync(past.findings({ all: true, tenantIds: [tenantId], fingerprints: ['f0', 'f1'], check }))
  yield [await past.lapses(['f0']), await past.lapseCounts(tenantId, check)]
  yield await past.lapsedUnderAll(tenantId, check, [terms])
  yield await stores.dropAcceptances(tenantId, 'w')
  yield await stores.overdueErasure(now + 9 * dayMs)
}

const accepted = { severity: 'high', facts: '{}', later: true } as const

async function* listed(stores: Stores, tenantId: number): AsyncGenerator<unknown> {
  yield await Array.fromAsync(stores.findings({ all: true }))
  yield await Array.fromAsync(stores.findings({ tenantIds: [tenantId], check, newestFirst: true }))
  yield await Array.fromAsync(stores.findings({ all: true, text: 'user 29', newestFirst: true }))
  yield await Array.fromAsync(stores.findings({ fingerprints: ['f1'], text: 'ä fails' }))
  yield await Array.fromAsync(stores.findings({ all: true, after: 'f1' }))
  yield await Array.fromAsync(stores.openFindings(tenantId, check, 'high'))
  yield await Array.fromAsync(stores.openFindings(tenantId, check, 'high', { waiver: 'w', terms: 't' }))
  yield [await stores.findingEvents('f1'), await stores.fingerprintsFrom('f1', 5), await stores.recordBounds()]
  yield await Array.fromAsync(stores.changes({ tenantId, key: '1', field: 'x', resources: ['users'], since: 1 }))
  for (const key of ['1', '12x', '99999999999999999999']) yield await stores.hasEntity({ key })
  yield [await stores.latestChanges(tenantId, 3, true)]
  yield [await stores.decisions(null), await stores.decisions(tenantId)]
}

function tablesOf(query: (sql: string) => Record<string, unknown>[]) {
  const names = query("select name from sqlite_schema where type = 'table' and name not like '%drizzle%'")
  return names.map(({ name }) => [name, query(`select * from "${name}"`)])
}

it('returns and stores the same over a database that is waited for', async () => {
  const [here, there] = [await atOnce(), await waiting()]
  const expected = await Array.fromAsync(workThrough(here.stores, here.tenantId))
  const found = await Array.fromAsync(workThrough(there.stores, there.tenantId))
  expect(found).toEqual(expected)
  expect(tablesOf(there.query)).toEqual(tablesOf(here.query))
  for (const { stores, tenantId } of [here, there]) await stores.purgeTenant(tenantId)
  expect(tablesOf(there.query)).toEqual(tablesOf(here.query))
  expect(there.query('select count(*) as n from findings')).toEqual([{ n: 0 }])
})

it('lists every finding of a committed result, whichever operation settles what it owes', async () => {
  const { stores, tenantId, query } = await waiting()
  const committed = stores.commitResult(checkResult(tenantId, findings(many), now))
  while ((await stores.checkStates(tenantId)).length === 0);
  const lists = await Promise.all([1, 2].map(() => Array.fromAsync(stores.findings({ all: true }))))
  await committed
  for (const list of lists) expect(list.flat()).toHaveLength(many)
  expect(query('select count(*) as n from finding_events')).toEqual([{ n: many }])
  expect(query('select count(*) as n from staged_findings')).toEqual([{ n: 0 }])
})

async function confirmed() {
  const test = await waiting()
  const { stores, tenantId, query } = test
  await stores.commitResult(checkResult(tenantId, findings(2), now))
  await stores.confirmResult(tenantId, check, now + 6 * minuteMs)
  return {
    ...test,
    shown: async () => (await stores.checkStates(tenantId))[0]?.evaluatedAt,
    stored: () => query('select evaluated_at as at from check_states')[0]?.['at'],
  }
}

it('keeps a confirmation that comes while the one before it is written', async () => {
  const { database, stores, tenantId, shown, stored } = await confirmed()
  const later = now + 7 * minuteMs
  database.next.set('before the commit', () => stores.confirmResult(tenantId, check, later))
  await stores.storeConfirmations()
  expect(await shown()).toBe(later)
  await stores.flush()
  expect(stored()).toBe(later)
})

it('gives no later result the confirmation of the one before it', async () => {
  const { database, stores, tenantId, shown, stored } = await confirmed()
  const at = now + 8 * minuteMs
  database.next.set('before the first step', () => stores.commitResult(checkResult(tenantId, findings(1), at)))
  await stores.storeConfirmations()
  expect([await shown(), stored()]).toEqual([at, at])
})

it('shows a confirmation that is written while the states are read', async () => {
  const { database, stores, shown, stored } = await confirmed()
  database.next.set('after the read', () => stores.storeConfirmations())
  expect(await shown()).toBe(now + 6 * minuteMs)
  expect(stored()).toBe(now + 6 * minuteMs)
})

it('keeps the confirmations, and the earlier result, when the database fails', async () => {
  const { database, stores, tenantId, shown, stored } = await confirmed()
  const fail = async () => {
    throw new Error('connection lost')
  }
  database.next.set('before the commit', fail)
  await expect(stores.storeConfirmations()).rejects.toThrow('connection lost')
  expect([await shown(), stored()]).toEqual([now + 6 * minuteMs, now])
  database.next.set('before the commit', fail)
  const late = checkResult(tenantId, findings(1), now + 9 * minuteMs)
  await expect(stores.commitResult(late)).rejects.toThrow('connection lost')
  expect([await shown(), stored()]).toEqual([now + 6 * minuteMs, now])
  await stores.storeConfirmations()
  expect(stored()).toBe(now + 6 * minuteMs)
})
