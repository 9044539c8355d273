import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import { differenceOf, factsText, materialFacts } from '../../src/evaluate/findings/material-facts.ts'

const reading = { requestId: 'req-1', readAt: '2026-03-01T12:00:00.000Z' }

it('uses all facts of an entity by default, without request ids and read times', () => {
  const evidence = {
    ...reading,
    state: 'Invited',
    thresholdDays: 30,
    rule: 'abc',
    roles: [{ roleId: 1, ...reading }],
    nothing: null,
  }
  expect(materialFacts(evidence)).toEqual({ state: 'Invited', roles: [{ roleId: 1 }], nothing: null })
})

it('uses only the named facts, one of each list element, and null for missing ones', () => {
  const evidence = { state: 'Active', roles: [{ roleId: 1, name: 'A' }, { roleId: 2 }], nearest: null }
  expect(materialFacts(evidence, ['roles.roleId', 'nearest.fileId', 'gone'])).toEqual({
    'roles.roleId': [1, 2],
    'nearest.fileId': null,
    gone: null,
  })
})

it('compares instants and not their notation, whatever the order of the facts', () => {
  const text = (evidence: Record<string, unknown>) => factsText(materialFacts(evidence))
  const first = text({ at: '2026-03-01T12:00:00Z', name: 'x' })
  expect(text({ name: 'x', at: '2026-03-01T13:00:00.000+01:00' })).toBe(first)
  expect(text({ name: 'x', at: '2026-03-01T12:00:01Z' })).not.toBe(first)
  expect(text({ name: '2026-99-01T12:00:00Z' })).toBe('{"name":"2026-99-01T12:00:00Z"}')
})

it('describes the difference, and cuts long values', () => {
  const text = (facts: Record<string, unknown>) => factsText(facts)
  expect(differenceOf(text({ a: 1, b: 'x', c: true }), text({ a: 1, b: 'y', d: null }))).toBe(
    'b: "x" → "y", c: true → nothing, d: nothing → null',
  )
  expect(differenceOf(text({ a: '' }), text({ a: 'x'.repeat(500) })).length).toBeLessThan(140)
  expect(differenceOf(text({ a: { b: 1, c: [1] }, d: {} }), text({ a: { b: 2, c: [1] }, d: [] }))).toBe(
    'a.b: 1 → 2, d: {} → []',
  )
})

it('no check has a fact that changes with time', () => {
  const named = checks.flatMap((check) => check.material ?? [])
  expect(named.length).toBeGreaterThan(checks.length)
  expect(named.filter((name) => /(^|\.)(requestId|readAt|rule|threshold\w*|days\w*)$/.test(name))).toEqual([])
})
