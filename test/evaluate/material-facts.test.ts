import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import { materialFacts } from '../../src/evaluate/findings/material-facts.ts'

const guid = 'abcdef00-0000-4000-8000-000000000001'
const reading = { requestId: 'req-1', readAt: '2026-03-01T12:00:00.000Z' }

it('uses all facts of an entity by default, GUIDs in canonical form, without request ids and read times', () => {
  const evidence = {
    ...reading,
    state: 'Invited',
    thresholdDays: 30,
    rule: 'abc',
    roles: [{ roleId: 1, ...reading }],
    nothing: null,
    fileId: guid.toUpperCase(),
  }
  expect(materialFacts(evidence)).toEqual({ state: 'Invited', roles: [{ roleId: 1 }], nothing: null, fileId: guid })
})

it('no check has a fact that changes with time', () => {
  const named = checks.flatMap((check) => check.material ?? [])
  expect(named.length).toBeGreaterThan(checks.length)
  expect(named.filter((name) => /(^|\.)(requestId|readAt|rule|threshold\w*|days\w*)$/.test(name))).toEqual([])
})
