import { expect, it } from 'vitest'
import type { ReportFinding } from '../../src/report/build-report.ts'
import { factsIn, groupFacts } from '../../src/report/html-parts.ts'

const findingWith = (evidence: Readonly<Record<string, unknown>>): ReportFinding => ({
  fingerprint: 'f',
  check: 'user-mfa-enrolled',
  entity: { type: 'user', id: '1' },
  severity: 'high',
  state: 'open',
  message: 'm',
  owner: null,
  link: null,
  firstSeen: '2026-03-01T12:00:00.000Z',
  ageDays: 0,
  reopened: 0,
  waiver: null,
  evidence,
})

it('writes evidence as names and texts without JSON', () => {
  const evidence = {
    userId: 12,
    requestId: 'R-1',
    updatedAt: null,
    mfaStatus: false,
    excess: ['Api_Users_Create', 'Api_Users_Delete'],
    roles: [{ roleId: 7, name: 'Viewer', tags: ['a', 'b'] }, { roleId: 8 }],
    policy: { mfaEnabled: true, readAt: '2026-03-14T09:00:00Z' },
  }
  expect(factsIn(evidence)).toEqual([
    ['userId', '12'],
    ['Request id', 'R-1'],
    ['updatedAt', 'null'],
    ['mfaStatus', 'false'],
    ['excess', 'Api_Users_Create, Api_Users_Delete'],
    ['roles', '(roleId: 7, name: Viewer, tags: (a, b)), (roleId: 8)'],
    ['policy', 'mfaEnabled: true, Read at: 2026-03-14T09:00:00Z'],
  ])
})

it('shows empty values, and quotes a name that would read as further facts', () => {
  const named = { name: 'x, state: Active', roles: [{ name: 'x, state: Active' }, { name: 'y)' }, { name: '' }] }
  expect(factsIn({ ...named, none: '', list: [], object: {} })).toEqual([
    ['name', 'x, state: Active'],
    ['roles', '(name: "x, state: Active"), (name: "y)"), (name: "")'],
    ['none', '""'],
    ['list', '[]'],
    ['object', '{}'],
  ])
})

it('writes once what all findings of a group share, and nothing twice', () => {
  const group = [
    findingWith({ userId: 1, rule: 'f430', thresholdDays: 14, role: null }),
    findingWith({ userId: 2, rule: 'f430', thresholdDays: 30, role: null }),
    findingWith({ userId: 3, rule: 'f430', thresholdDays: 30 }),
  ]
  const { shared, ownOf } = groupFacts(group)
  expect(shared).toEqual([['Rule (digest of its options)', 'f430']])
  expect(group.map(ownOf)).toEqual([
    [
      ['userId', '1'],
      ['Threshold, days', '14'],
      ['role', 'null'],
    ],
    [
      ['userId', '2'],
      ['Threshold, days', '30'],
      ['role', 'null'],
    ],
    [
      ['userId', '3'],
      ['Threshold, days', '30'],
    ],
  ])
  const [one] = group
  expect(groupFacts(one === undefined ? [] : [one]).shared).toEqual([])
})
