import { expect, it } from 'vitest'
import { minuteMs } from '../../src/model/durations.ts'
import { findingKinds } from '../../src/store/events.ts'
import type { Mirror } from '../../src/store/port.ts'
import { now } from '../checks/support/evaluator.ts'
import { seenEvents } from '../support/events.ts'
import { type TestMirror, testMirror } from '../support/mirror.ts'
import {
  check,
  checkResultOf,
  commitResult,
  type FailingEntity,
  findingOf,
  resultOf,
  type TestResult,
} from './support/results.ts'

/** More than one transaction takes. */
const many = 1700

const finding = (id: number) => findingOf(id, { severity: id % 2 === 0 ? 'low' : 'high' })

function* batches(count: number, size = 400): Iterable<readonly FailingEntity[]> {
  for (let at = 0; at < count; at += size) {
    yield Array.from({ length: Math.min(size, count - at) }, (_, i) => finding(at + i))
  }
}

const checkResult = (tenantId: number, failing: TestResult['failing'], more?: Partial<TestResult>) =>
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

it('opens many findings at once, in their order, each with its event', async () => {
  const { mirror, tenantId, query } = await opened()
  const result = await commitResult(mirror, checkResult(tenantId, batches(many)))
  expect([result.status, result.written.length]).toEqual(['fail', many])
  expect(await stateOf(mirror, tenantId)).toMatchObject({ status: 'fail', open: { high: many / 2, low: many / 2 } })
  const ids = query('select entity_id as id from findings order by findings.id').map((row) => Number(row['id']))
  expect(ids).toEqual(Array.from({ length: many }, (_, i) => i))
  expect(seenEvents(query, ...findingKinds)).toHaveLength(many)
})

it('stores nothing of the results when one of them cannot be stored', async () => {
  const { mirror, tenantId } = await opened()
  await commitResult(mirror, checkResult(tenantId, batches(10)))
  const good = await checkResultOf(mirror, checkResult(tenantId, batches(20)))
  const broken = { ...good, check: 'broken', status: null as never, written: [] }
  await expect(mirror.saveResults(tenantId, now + 1, { results: [good, broken] })).rejects.toThrow()
  expect([await listed(mirror), await stateOf(mirror, tenantId)]).toMatchObject([10, { evaluatedAt: now }])
})

it('resolves, changes and opens again in one check result of any size', async () => {
  const { mirror, tenantId, query } = await opened()
  await commitResult(mirror, checkResult(tenantId, batches(many)))
  const half = [...batches(many)].map((batch) => batch.filter(({ evidence }) => Number(evidence['id']) % 2 === 0))
  const ended = await commitResult(mirror, checkResult(tenantId, half, { at: now + 1 }))
  expect([ended.written.length, ended.resolved.length]).toEqual([0, many / 2])
  const moreSevere = [...batches(many)].map((batch) => batch.map((one) => ({ ...one, severity: 'high' as const })))
  const again = await commitResult(mirror, checkResult(tenantId, moreSevere, { at: now + 2 }))
  expect([again.written.length, again.resolved.length]).toEqual([many, 0])
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
  await commitResult(mirror, checkResult(tenantId, batches(6)))
  const resolve: TestResult['resolve'] = ({ entityId }) => (entityId === '1' ? null : 'fixed')
  const result = await commitResult(mirror, checkResult(tenantId, [], { at: now + 1, resolve }))
  expect(result.resolved).toHaveLength(5)
  expect((await stateOf(mirror, tenantId))?.open).toEqual({ high: 1 })
})

it('confirms a result by its time alone', async () => {
  const { mirror, tenantId, query } = await opened()
  await commitResult(mirror, checkResult(tenantId, batches(10)))
  const rows = () => ['findings', 'events'].map((name) => query(`select * from ${name}`))
  const before = rows()
  await mirror.confirmResults(tenantId, [check, 'never evaluated'], now + minuteMs)
  expect(rows()).toEqual(before)
  expect(query('select evaluated_at as at from check_states')).toEqual([{ at: now + minuteMs }])
})
