import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { minuteMs } from '../../src/model/durations.ts'
import { openMirror } from '../../src/store/db/sqlite/sqlite-mirror.ts'
import { findingKinds } from '../../src/store/event-store.ts'
import type { CheckResult, Mirror, NewFinding } from '../../src/store/port.ts'
import { now } from '../checks/support/evaluator.ts'
import { seenEvents } from '../support/events.ts'
import { type TestMirror, testMirror } from '../support/mirror.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { check, findingOf, resultOf } from './support/results.ts'

/** More than one transaction takes. */
const many = 1700

const finding = (id: number) => findingOf(id, { severity: id % 2 === 0 ? 'low' : 'high' })

function* batches(count: number, size = 400): Iterable<readonly NewFinding[]> {
  for (let at = 0; at < count; at += size) {
    yield Array.from({ length: Math.min(size, count - at) }, (_, i) => finding(at + i))
  }
}

const checkResult = (tenantId: number, failing: CheckResult['failing'], more?: Partial<CheckResult>) =>
  resultOf(tenantId, now, failing, more)

async function opened(): Promise<TestMirror & { readonly tenantId: number }> {
  const test = testMirror()
  const { tenant } = await test.mirror.openTenant('acme', 'https://x', 1)
  return { ...test, tenantId: tenant.id }
}

async function listed(mirror: Mirror, all = false): Promise<number> {
  let count = 0
  for await (const batch of mirror.findings({ all })) count += batch.length
  return count
}

const stateOf = async (mirror: Mirror, tenantId: number) => (await mirror.checkStates(tenantId))[0]

/** The database of a process that is killed now, opened again. */
function afterKill({ path }: TestMirror): Mirror {
  const copy = join(temporaryFolder(), 'killed.db')
  for (const suffix of ['', '-wal']) copyFileSync(path + suffix, copy + suffix)
  const mirror = openMirror(copy, 'engine')
  onTestFinished(() => mirror[Symbol.asyncDispose]())
  return mirror
}

it('opens many findings at once, in their order, each with its event', async () => {
  const { mirror, tenantId, query } = await opened()
  const result = await mirror.commitResult(checkResult(tenantId, batches(many)))
  expect(result).toEqual({ status: 'fail', reason: null, opened: many, resolved: {} })
  expect(await stateOf(mirror, tenantId)).toMatchObject({ status: 'fail', open: { high: many / 2, low: many / 2 } })
  const ids = query('select entity_id as id from findings order by findings.id').map((row) => Number(row['id']))
  expect(ids).toEqual(Array.from({ length: many }, (_, i) => i))
  expect(seenEvents(query, ...findingKinds)).toHaveLength(many)
  expect(query('select count(*) as n from staged_findings')).toEqual([{ n: 0 }])
})

it('shows nothing of a check result before it is whole, and lets other work in meanwhile', async () => {
  const test = await opened()
  const { mirror, tenantId } = test
  await mirror.commitResult(checkResult(tenantId, batches(10)))
  const seen: unknown[] = []
  async function* watched() {
    for (const batch of batches(many)) {
      yield batch
      seen.push([(await stateOf(mirror, tenantId))?.open, await listed(mirror)])
    }
  }
  await mirror.commitResult(checkResult(tenantId, watched(), { at: now + 1 }))
  expect(new Set(seen.map((one) => JSON.stringify(one)))).toEqual(new Set([JSON.stringify([{ low: 5, high: 5 }, 10])]))
  expect(await listed(mirror)).toBe(many)
})

it('leaves the earlier check result when the process is killed in the middle, and evaluates from there', async () => {
  const test = await opened()
  const { mirror, tenantId } = test
  await mirror.commitResult(checkResult(tenantId, batches(10)))
  let killed: Mirror | undefined
  async function* untilKilled() {
    for (const batch of batches(many)) {
      yield batch
      if (batch[0]?.entityId === '1200') killed = afterKill(test)
    }
  }
  await mirror.commitResult(checkResult(tenantId, untilKilled(), { at: now + 1 }))
  if (killed === undefined) throw new Error('Nothing was killed')
  expect([await stateOf(killed, tenantId), await listed(killed, true)]).toMatchObject([
    { open: { low: 5, high: 5 } },
    10,
  ])
  // A check result that has nothing to do with the one that was lost takes nothing of it over.
  expect(await killed.commitResult(checkResult(tenantId, batches(4), { at: now + 2 }))).toMatchObject({
    opened: 0,
    resolved: { fixed: 6 },
  })
  expect([await listed(killed), await listed(killed, true)]).toEqual([4, 10])
})

it('owes nothing after a kill behind the check result: a list of the findings has all of them', async () => {
  const test = await opened()
  const { mirror, tenantId, query } = test
  const committing = mirror.commitResult(checkResult(tenantId, batches(many)))
  while ((await stateOf(mirror, tenantId)) === undefined) await nextTurn()
  const written = Number(query('select count(*) as n from findings')[0]?.['n'])
  expect(written).toBeLessThan(many)
  const killed = afterKill(test)
  await committing
  expect(await stateOf(killed, tenantId)).toMatchObject({ status: 'fail', open: { high: many / 2, low: many / 2 } })
  expect(await listed(killed)).toBe(many)
  expect(await killed.commitResult(checkResult(tenantId, batches(many), { at: now + 1 }))).toMatchObject({ opened: 0 })
})

it('resolves nothing when a check throws in the middle', async () => {
  const { mirror, tenantId } = await opened()
  await mirror.commitResult(checkResult(tenantId, batches(many)))
  function* broken() {
    yield* batches(800)
    throw new Error('this check is broken')
  }
  await expect(mirror.commitResult(checkResult(tenantId, broken(), { at: now + 1 }))).rejects.toThrow('broken')
  expect(await listed(mirror)).toBe(many)
  expect(await stateOf(mirror, tenantId)).toMatchObject({ open: { high: many / 2, low: many / 2 }, evaluatedAt: now })
})

it('resolves, changes and opens again in one check result of any size', async () => {
  const { mirror, tenantId, query } = await opened()
  await mirror.commitResult(checkResult(tenantId, batches(many)))
  const half = [...batches(many)].map((batch) => batch.filter(({ evidence }) => Number(evidence['id']) % 2 === 0))
  const ended = await mirror.commitResult(checkResult(tenantId, half, { at: now + 1 }))
  expect(ended).toMatchObject({ opened: 0, resolved: { fixed: many / 2 } })
  const moreSevere = [...batches(many)].map((batch) => batch.map((one) => ({ ...one, severity: 'high' as const })))
  const again = await mirror.commitResult(checkResult(tenantId, moreSevere, { at: now + 2 }))
  expect(again).toMatchObject({ opened: many / 2, resolved: {} })
  expect(await stateOf(mirror, tenantId)).toMatchObject({ open: { high: many } })
  expect(
    query(
      `select substr(kind, 9) as kind, count(*) as n from events where kind like 'finding.%' group by 1 order by 1`,
    ),
  ).toEqual(
    ['changed', 'opened', 'reopened', 'resolved'].map((kind) => ({ kind, n: kind === 'opened' ? many : many / 2 })),
  )
  expect(query('select distinct severity, reopened, first_seen_at as first from findings order by reopened')).toEqual([
    { severity: 'high', reopened: 0, first: now },
    { severity: 'high', reopened: 1, first: now },
  ])
})

it('keeps the findings that the check result does not dare to end, and counts them', async () => {
  const { mirror, tenantId } = await opened()
  await mirror.commitResult(checkResult(tenantId, batches(6)))
  const resolve: CheckResult['resolve'] = async ({ entityId }) => (entityId === '1' ? null : 'fixed')
  const result = await mirror.commitResult(checkResult(tenantId, [], { at: now + 1, resolve }))
  expect(result.resolved).toEqual({ fixed: 5 })
  expect((await stateOf(mirror, tenantId))?.open).toEqual({ high: 1 })
})

it('writes nothing for a check result that repeats the one before, and still knows when it was evaluated', async () => {
  const { mirror, tenantId, query, path } = await opened()
  await mirror.commitResult(checkResult(tenantId, batches(many)))
  const written = () => query('pragma data_version')
  const before = written()
  await mirror.commitResult(checkResult(tenantId, batches(many), { at: now + minuteMs }))
  await mirror.confirmResult(tenantId, check, now + 2 * minuteMs)
  expect(written()).toEqual(before)
  expect((await stateOf(mirror, tenantId))?.evaluatedAt).toBe(now + 2 * minuteMs)
  await mirror.storeConfirmations()
  expect(written()).toEqual(before)
  await mirror.confirmResult(tenantId, check, now + 6 * minuteMs)
  await mirror.storeConfirmations()
  expect(query('select evaluated_at as at from check_states')).toEqual([{ at: now + 6 * minuteMs }])
  await mirror.confirmResult(tenantId, check, now + 7 * minuteMs)
  await mirror[Symbol.asyncDispose]()
  await using later = openMirror(path, 'engine')
  expect((await stateOf(later, tenantId))?.evaluatedAt).toBe(now + 7 * minuteMs)
})

it('ends what passes until the next result, which the record shows as a gap', async () => {
  const { mirror, tenantId, query } = await opened()
  await mirror.commitResult(checkResult(tenantId, []))
  await mirror.commitResult(checkResult(tenantId, batches(1), { check: 'other' }))
  await mirror.expirePasses(tenantId)
  const validities = () => query('select valid_until as until from check_states order by "check" = ?', ['other'])
  expect(validities()).toEqual([{ until: now }, { until: null }])
  await mirror.commitResult(checkResult(tenantId, [], { at: now + minuteMs }))
  expect(validities()).toEqual([{ until: null }, { until: null }])
  const record = seenEvents(query, 'result').filter(({ subject }) => subject === check)
  expect(record.map(({ at, previous }) => [at, previous])).toEqual([
    [now, null],
    [now + minuteMs, { confirmedAt: now, validUntil: now }],
  ])
})

it('writes the results of several checks in one transaction, and shows none of them before', async () => {
  const test = await opened()
  const { mirror, tenantId, query, path } = test
  const beside = openMirror(path, 'beside')
  onTestFinished(() => beside[Symbol.asyncDispose]())
  const batch = mirror.resultBatch()
  const seen: number[] = []
  for (const name of ['a', 'b', 'c']) {
    const failing = [[{ ...finding(1), fingerprint: name }]]
    expect(await batch.add(checkResult(tenantId, failing, { check: name }))).toMatchObject({
      status: 'fail',
      opened: 1,
    })
    seen.push(
      (await mirror.checkStates(tenantId)).length,
      await listed(mirror),
      (await beside.checkStates(tenantId)).length,
    )
  }
  expect(new Set(seen)).toEqual(new Set([0]))
  const version = mirror.findingVersion(tenantId, 'b')
  await batch.commit()
  expect(mirror.findingVersion(tenantId, 'b')).toBe(version + 1)
  expect([(await mirror.checkStates(tenantId)).length, await listed(mirror)]).toEqual([3, 3])
  expect(query('select count(*) as n from staged_findings')).toEqual([{ n: 0 }])
})

it('commits a result of many findings by itself, after those before it', async () => {
  const { mirror, tenantId } = await opened()
  const batch = mirror.resultBatch()
  await batch.add(checkResult(tenantId, [[{ ...finding(1), fingerprint: 'few' }]], { check: 'few' }))
  await batch.add(checkResult(tenantId, batches(many)))
  expect(await listed(mirror)).toBe(many + 1)
  expect((await mirror.checkStates(tenantId)).map((one) => one.check).sort()).toEqual(['few', check].sort())
  await batch.commit()
  expect((await mirror.checkStates(tenantId)).length).toBe(2)
})

it('finds a text in any letter case among more findings than one part of a search has, by check and severity', async () => {
  const { mirror, tenantId } = await opened()
  const far = 4500
  await mirror.commitResult(checkResult(tenantId, batches(far)))
  const hidden = findingOf('Far%away', { severity: 'low', message: 'Role Payroll_ADMIN', evidence: { role: 'Hidden' } })
  await mirror.commitResult(checkResult(tenantId, [[hidden]], { check: 'user-role-active' }))
  const found = async (filter: Parameters<Mirror['findings']>[0]) =>
    (await Array.fromAsync(mirror.findings(filter))).flat().map(({ fingerprint }) => fingerprint)
  for (const more of [{}, { check: 'user-role-active' }, { tenantIds: [tenantId], newestFirst: true }]) {
    for (const text of ['payroll_admin', 'far%AWAY', 'Payroll'])
      expect(await found({ ...more, text })).toEqual(['fFar%away'])
    expect(await found({ ...more, text: 'payroll', severities: ['high', 'critical'] })).toEqual([])
    for (const text of ['payrollxadmin', 'hidden']) expect(await found({ ...more, text })).toEqual([])
  }
  expect(await found({ text: 'user 4499 ', check })).toEqual(['f4499'])
  expect(await found({ text: 'user 2 ', severities: ['low'], tenantIds: [tenantId] })).toEqual(['f2'])
  expect(await found({ severities: ['high'], check })).toHaveLength(far / 2)
})
