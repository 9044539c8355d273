import { expect, it } from 'vitest'
import { groupsTable } from '../../src/report/finding-groups.ts'

it('names the settings of a tenant once on a terminal, and other entities with their type', () => {
  const severities = { info: 0, low: 1, medium: 0, high: 0, critical: 0 }
  const facts = { tenant: 'acme', check: null, findings: 1, severities, firstSeen: '2026-03-01T12:00:00.000Z' }
  const entities = [
    { type: 'authentication-settings', id: 'authentication-settings' },
    { type: 'user', id: '12' },
  ]
  const groups = entities.map((entity) => ({ ...facts, entity }))
  const text = groupsTable(groups, 'entity', { columns: 100, hasColors: false })
  expect(text).toMatch(/^acme +authentication-settings {2,}1\b/m)
  expect(text).toMatch(/^acme +user 12 {2,}1\b/m)
})

it('states the counts of a narrow terminal in words, and a long name below them', () => {
  const severities = { info: 0, low: 1, medium: 0, high: 2, critical: 0 }
  const facts = { tenant: 'acme', check: null, findings: 3, severities, firstSeen: '2026-03-01T12:00:00.000Z' }
  const at = (id: string, columns: number) =>
    groupsTable([{ ...facts, entity: { type: 'user', id } }], 'entity', { columns, hasColors: false }).split('\n')
  expect(at('x'.repeat(30), 60)[1]).toBe(`acme    user ${'x'.repeat(30)}  2 high, 1 low`)
  expect(at('x'.repeat(45), 60)).toEqual(['FINDINGS', '    ENTITY', '2 high, 1 low', `    user ${'x'.repeat(45)}`])
})
