import { expect, it } from 'vitest'
import { sqliteDialect } from '../../src/store/db/sqlite/dialect.ts'
import { lapsedReading, openReading } from '../../src/store/findings/finding-store.ts'
import type { Mirror } from '../../src/store/port.ts'
import { now } from '../checks/support/evaluator.ts'
import { testMirror } from '../support/mirror.ts'
import { check, commitResult, type FailingEntity, findingOf, resultOf, type TestResult } from './support/results.ts'

const finding = (id: number, more?: Partial<FailingEntity>) =>
  findingOf(id, { fingerprint: `f${String((id * 7919) % 10_000).padStart(4, '0')}`, ...more })

const checkResult = (tenantId: number, failing: readonly FailingEntity[], more?: Partial<TestResult>) =>
  resultOf(tenantId, now, [failing], more)

async function opened() {
  const test = testMirror()
  const { tenant } = await test.mirror.openTenant('acme', 'https://x', 1)
  return { ...test, tenantId: tenant.id }
}

const listed = async (mirror: Mirror, tenantId: number) =>
  (await Array.fromAsync(mirror.openFindings(tenantId, check, 'high'))).flat()

it('finds the top findings by one index, in its order, however many there are', async () => {
  const { query } = await opened()
  const planOf = (text: string) =>
    query(`explain query plan ${text.replaceAll(/@\w+/g, '1')}`).map(({ detail }) => String(detail))
  expect(planOf(openReading(sqliteDialect))).toEqual([
    'SEARCH f USING INDEX findings_open (tenant_id=? AND check=? AND severity=? AND (first_seen_at,fingerprint)>(?,?))',
  ])
  expect(planOf(lapsedReading).slice(0, 2)).toEqual([
    'SEARCH w USING INDEX waived_findings_lapsed (tenant_id=? AND check=? AND waiver=? AND terms=? AND open_severity=? AND lapsed_at>?)',
    'SEARCH f USING INDEX findings_fingerprint (fingerprint=?)',
  ])
})

it('hands over every open finding of a severity once, those first seen longest ago in front', async () => {
  const { mirror, tenantId } = await opened()
  const early = Array.from({ length: 700 }, (_, i) => finding(i + 2000))
  const late = Array.from({ length: 5 }, (_, i) => finding(i))
  const mild = finding(9999, { severity: 'low' })
  await commitResult(mirror, checkResult(tenantId, [...early, mild]))
  await commitResult(mirror, checkResult(tenantId, [...early.slice(1), mild, ...late], { at: now + 1 }))
  const found = await listed(mirror, tenantId)
  const sorted = [...early.slice(1), ...late].map(({ fingerprint }, i) => `${i < 699 ? 0 : 1} ${fingerprint}`).sort()
  expect(found.map(({ fingerprint }) => fingerprint)).toEqual(sorted.map((key) => key.slice(2)))
  expect(found[0]).toEqual({ ...found[0], entityType: 'user', severity: 'high' })
})

it('gives the findings of a check another number when they change, and no other check', async () => {
  const { mirror, tenantId } = await opened()
  const numbers = () => [mirror.findingVersion(tenantId, check), mirror.findingVersion(tenantId, 'other')]
  const agreed = { id: 'w', check, entity: '*', entityKey: '*', terms: 't', since: now, expiresAt: now }
  const steps: (readonly [what: string, act: () => Promise<unknown>, changes: 'none' | 'mine' | 'all'])[] = [
    ['opened', () => commitResult(mirror, checkResult(tenantId, [finding(1), finding(2)])), 'mine'],
    ['the same', () => commitResult(mirror, checkResult(tenantId, [finding(1), finding(2)], { at: now + 1 })), 'none'],
    ['confirmed', () => mirror.confirmResults(tenantId, [check], now + 2), 'none'],
    [
      'moreSevere',
      () =>
        commitResult(
          mirror,
          checkResult(tenantId, [finding(1), finding(2, { severity: 'critical' })], { at: now + 3 }),
        ),
      'mine',
    ],
    ['resolved', () => commitResult(mirror, checkResult(tenantId, [finding(1)], { at: now + 4 })), 'mine'],
    ['agreed', () => mirror.agreeWaiver(tenantId, agreed, []), 'all'],
  ]
  for (const [what, act, changes] of steps) {
    const before = numbers()
    await act()
    const changed = numbers().map((number, i) => number !== before[i])
    expect([what, changed]).toEqual([what, { none: [false, false], mine: [true, false], all: [true, true] }[changes]])
  }
})
