import { expect, it } from 'vitest'
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
  (await Array.fromAsync(mirror.findings({ tenantIds: [tenantId], check, severities: ['high'] }))).flat()

it('hands over every open finding of a severity once, in the order in which they were first opened', async () => {
  const { mirror, tenantId } = await opened()
  const early = Array.from({ length: 700 }, (_, i) => finding(i + 2000))
  const late = Array.from({ length: 5 }, (_, i) => finding(i))
  const mild = finding(9999, { severity: 'low' })
  await commitResult(mirror, checkResult(tenantId, [...early, mild]))
  await commitResult(mirror, checkResult(tenantId, [...early.slice(1), mild, ...late], { at: now + 1 }))
  const found = await listed(mirror, tenantId)
  expect(found.map(({ fingerprint }) => fingerprint)).toEqual(
    [...early.slice(1), ...late].map(({ fingerprint }) => fingerprint),
  )
  expect(found[0]).toEqual({ ...found[0], entityType: 'user', severity: 'high' })
})

it('has another last event after each change of findings and waivers, and after no confirmation', async () => {
  const { mirror, tenantId } = await opened()
  const agreed = { id: 'w', check, entity: '*', terms: 't', reason: 'r', owner: 'o', since: now, expiresAt: now }
  const steps: (readonly [what: string, act: () => Promise<unknown>, changes: boolean])[] = [
    ['opened', () => commitResult(mirror, checkResult(tenantId, [finding(1), finding(2)])), true],
    ['the same', () => commitResult(mirror, checkResult(tenantId, [finding(1), finding(2)], { at: now + 1 })), false],
    ['confirmed', () => mirror.confirmResults(tenantId, [check], now + 2), false],
    ['resolved', () => commitResult(mirror, checkResult(tenantId, [finding(1)], { at: now + 4 })), true],
    ['agreed', () => mirror.agreeWaiver(tenantId, agreed, []), true],
  ]
  for (const [what, act, changes] of steps) {
    const before = await mirror.lastEventId(tenantId)
    await act()
    expect([what, (await mirror.lastEventId(tenantId)) !== before]).toEqual([what, changes])
  }
})
