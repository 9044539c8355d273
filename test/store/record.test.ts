import { expect, it } from 'vitest'
import { dayMs, minuteMs, secondMs } from '../../src/model/time.ts'
import { findingKinds } from '../../src/store/events.ts'
import { eraseAll } from '../support/erasure.ts'
import { seenEvents } from '../support/events.ts'
import { testMirror } from '../support/mirror.ts'
import { check, commitResult, findingOf, resultOf, type TestResult } from './support/results.ts'

const ofClock = ['clock.set_back', 'clock.confirmed'] as const
const start = Date.parse('2026-03-01T12:00:00Z')

const checkResult = (tenantId: number, at: number, failing: readonly string[] = [], more?: Partial<TestResult>) =>
  resultOf(tenantId, at, [failing.map((id) => findingOf(id))], { notEvaluated: 0, ...more })

async function opened() {
  const test = testMirror()
  const { tenant } = await test.mirror.openTenant('acme', 'https://x', start)
  return { ...test, tenantId: tenant.id }
}

it('writes nothing for an evaluation that changed nothing, and a row for whatever another one changes', async () => {
  const { mirror, query, tenantId } = await opened()
  const rows = () => seenEvents(query, 'result').length
  const all = () => query('select * from events order by id')
  const configuration = { digest: 'd', content: '{}' }
  const step = async (i: number) => {
    const at = start + i * minuteMs
    await mirror.noteTime(at)
    await mirror.noteConfiguration({ ...configuration, at })
    await mirror.noteTenantState(tenantId, '{"holds":[]}', at)
    if (i > 3 && i % 2 === 0) await mirror.confirmResults(tenantId, [check], at)
    else await commitResult(mirror, checkResult(tenantId, at, ['1']))
  }
  await step(0)
  const before = all()
  const kinds = ['configuration', 'finding.opened', 'result', 'tenant.state']
  expect(before.map(({ kind }) => kind).toSorted()).toEqual(kinds)
  for (let i = 1; i < 60; i++) await step(i)
  expect(all()).toEqual(before)
  let at = start + 60 * minuteMs
  for (const more of [{ entities: 10 }, { notEvaluated: 1 }, { rule: 's' }]) {
    await commitResult(mirror, checkResult(tenantId, at, ['1'], more))
    await commitResult(mirror, checkResult(tenantId, at, ['1'], more))
    at += minuteMs
  }
  expect(rows()).toBe(4)
  await commitResult(mirror, checkResult(tenantId, at, ['1', '2'], { rule: 's' }))
  expect(rows()).toBe(5)
})

it('notes that nobody evaluated for longer than a check result is shown', async () => {
  const { mirror, query, tenantId } = await opened()
  await commitResult(mirror, checkResult(tenantId, start))
  await mirror.confirmResults(tenantId, [check], start + 15 * minuteMs)
  await mirror.confirmResults(tenantId, [check], start + 31 * minuteMs)
  await mirror.confirmResults(tenantId, [check], start + 91 * minuteMs, 60 * minuteMs)
  expect(seenEvents(query, 'result').map(({ at, previous }) => [at, previous])).toEqual([
    [start, null],
    [start + 31 * minuteMs, { confirmedAt: start + 15 * minuteMs, validUntil: null }],
  ])
  const confirmed = async (at: number) => (await (await mirror.past(at, false)).checkStates(tenantId))[0]?.evaluatedAt
  expect(await confirmed(start + 10 * minuteMs)).toBe(start + 10 * minuteMs)
  expect(await confirmed(start + 30 * minuteMs)).toBe(start + 15 * minuteMs)
  expect(await confirmed(start + 40 * minuteMs)).toBe(start + 40 * minuteMs)
})

it('keeps the last row that is still valid when older ones are erased', async () => {
  const { mirror, query, tenantId } = await opened()
  for (const [day, failing] of [['1'], ['1', '2'], ['1'], ['1', '3']].entries()) {
    await mirror.noteTenantState(tenantId, `{"day":${day}}`, start + day * dayMs)
    await mirror.noteConfiguration({ at: start + day * dayMs, digest: `${day}`, content: `{"day":${day}}` })
    await commitResult(mirror, checkResult(tenantId, start + day * dayMs, failing))
  }
  await eraseAll(mirror, start + 2.5 * dayMs)
  const past = await mirror.past(start + 2.6 * dayMs, false)
  expect(await past.configuration()).toMatchObject({ digest: '2' })
  expect(await past.tenantState(tenantId)).toBe('{"day":2}')
  expect(await past.checkStates(tenantId)).toMatchObject([{ status: 'fail', open: { high: 1 } }])
  const open = (await Array.fromAsync(past.findings({}))).flat()
  expect(open.map(({ fingerprint }) => fingerprint)).toEqual(['f1'])
  const left = seenEvents(query, ...findingKinds)
  expect(left.map(({ subject, kind }) => [subject, kind])).toEqual([
    ['f1', 'finding.opened'],
    ['f3', 'finding.opened'],
  ])
  expect(await mirror.recordBounds([tenantId])).toEqual({ begins: start, erasedBefore: start + 2.5 * dayMs })
})

it('erases the problems of checks that are no longer evaluated after the retention', async () => {
  const { mirror, tenantId } = await opened()
  for (const own of ['gone', 'evaluated']) {
    const problem = 'It cannot evaluate ann@example.com'
    await commitResult(mirror, checkResult(tenantId, start, [], { check: own, problem }))
  }
  const again = { check: 'evaluated', problem: 'It cannot evaluate ann@example.com' }
  await commitResult(mirror, checkResult(tenantId, start + 3 * dayMs, [], again))
  const withProblem = async () =>
    (await mirror.checkStates(tenantId)).flatMap(({ check, problem }) => (problem === null ? [] : [check])).sort()
  await eraseAll(mirror, start)
  expect(await withProblem()).toEqual(['evaluated', 'gone'])
  await eraseAll(mirror, start + dayMs)
  expect(await withProblem()).toEqual(['evaluated'])
})

it('shows the history as it was, whatever a wrong clock said', async () => {
  const { mirror, query, tenantId } = await opened()
  const open = async (at: number) => {
    const found = (await Array.fromAsync((await mirror.past(at, false)).findings({}))).flat()
    return found.map(({ fingerprint }) => fingerprint)
  }
  const evaluate = async (at: number, failing: readonly string[]) => {
    await mirror.noteTime(at)
    await commitResult(mirror, checkResult(tenantId, at, failing))
  }
  await evaluate(start, ['1'])
  // Clocks of replicas may differ so much (docs/postgresql.md#doctor).
  await mirror.noteTime(start - 10 * secondMs)
  expect(await mirror.unconfirmedTime()).toBe(null)
  // A clock years behind: nothing of it is shown before the last time that was known.
  await evaluate(start - 900 * dayMs, ['1', '2'])
  const times = [start - 800 * dayMs, start - minuteMs, start, start + minuteMs]
  expect(await Promise.all(times.map(open))).toEqual([[], [], ['f1'], ['f1']])
  // A clock years ahead, put right: what was written under it was written before what follows.
  await evaluate(start + 900 * dayMs, ['1', '2', '3'])
  await mirror.noteTime(start + dayMs)
  await mirror.confirmTime(start + dayMs)
  await evaluate(start + 2 * dayMs, ['1', '3', '4'])
  expect(await open(start + minuteMs)).toEqual(['f1'])
  expect(await open(start + dayMs)).toEqual(['f1', 'f2', 'f3'])
  expect(await open(start + 3 * dayMs)).toEqual(['f1', 'f3', 'f4'])
  expect(seenEvents(query, ...ofClock).map(({ kind }) => kind)).toEqual([
    'clock.set_back',
    'clock.set_back',
    'clock.confirmed',
  ])
})
