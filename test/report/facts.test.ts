import { expect, it } from 'vitest'
import { factsIn } from '../../src/report/html-parts.ts'

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
