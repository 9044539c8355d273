import { expect, it } from 'vitest'
import type { CheckFacts } from '../../../src/evaluate/check.ts'
import type { CheckView } from '../../../src/model/posture.ts'
import { coverageOf, requirementState, requirementsOf, standingOf } from '../../../src/report/coverage.ts'

const view = (more: Partial<CheckView>): CheckView => ({
  check: 'user-mfa-enrolled',
  title: '',
  passesWhen: '',
  risk: '',
  remediation: '',
  enabled: true,
  status: 'fail',
  reason: null,
  entities: 10,
  notEvaluated: 0,
  evaluatedAt: 1,
  since: 1,
  severities: ['high'],
  open: { high: 2 },
  waived: { high: 1 },
  ...more,
})

it('keeps passing, failing, waived and unknown apart, over a number that they add up to, and counts as evaluated only who was', () => {
  expect(coverageOf(view({ notEvaluated: 3 }))).toEqual({
    entities: 10,
    evaluated: 7,
    passing: 4,
    failing: 2,
    waived: 1,
    unknown: 3,
  })
})

it('counts nobody as passing while an input is not fresh, the status unknown or the unevaluated not counted', () => {
  const blind = { entities: 10, evaluated: 3, passing: 0, failing: 2, waived: 1, unknown: 7 }
  expect(coverageOf(view({ partial: 'quarantined' }))).toEqual(blind)
  expect(coverageOf(view({ status: 'unknown', reason: 'stale' }))).toEqual(blind)
  expect(coverageOf(view({ notEvaluated: null }))).toEqual(blind)
  expect(coverageOf(view({ entities: null }))).toMatchObject({
    entities: null,
    evaluated: null,
    passing: null,
  })
})

it('calls a check waived only when it fails for nobody else, and off before anything else', () => {
  expect(standingOf(view({ open: {} }))).toBe('waived')
  expect(standingOf(view({}))).toBe('fail')
  expect(standingOf(view({ status: 'unknown', open: {} }))).toBe('unknown')
  expect(standingOf(view({ enabled: false, status: 'not_applicable' }))).toBe('off')
})

it('calls no check waived while others than the waived may fail', () => {
  expect(standingOf(view({ open: {}, partial: 'quarantined' }))).toBe('unknown')
  expect(standingOf(view({ partial: 'quarantined' }))).toBe('fail')
})

it('gives a requirement the status of its worst check, and never a pass from an unknown one', () => {
  expect(requirementState([])).toBe('no_check')
  expect(requirementState(['pass', 'unknown', 'fail'])).toBe('fail')
  expect(requirementState(['pass', 'waived', 'unknown'])).toBe('unknown')
  expect(requirementState(['pass', 'off'])).toBe('unknown')
  expect(requirementState(['pass', 'waived'])).toBe('waived')
  expect(requirementState(['pass', 'not_applicable'])).toBe('supported')
  expect(requirementState(['not_applicable'])).toBe('not_applicable')
})

const own = (frameworks: readonly string[]) =>
  [{ id: 'own-one', frameworks, own: { file: 'a.sql' } } as unknown as CheckFacts] as const

function stateOf(framework: string, requirement: string, frameworks: readonly string[], evaluated = true) {
  const all = requirementsOf(own(frameworks), new Map(evaluated ? [['own-one', 'pass']] : []))
  return all.find(({ id }) => id === framework)?.requirements.find(({ id }) => id === requirement)?.state
}

it('finds the checks of a requirement by the names they give it, however they write the framework', () => {
  expect(stateOf('soc2', 'CC7.3', [])).toBe('no_check')
  for (const text of ['SOC 2 CC7.3', 'soc2:cc7.3', 'TSC CC7.3'])
    expect(stateOf('soc2', 'CC7.3', [text])).toBe('supported')
  expect(stateOf('iso27001', 'A.8.15', ['ISO/IEC 27001:2022 A.8.15'])).toBe('supported')
  expect(stateOf('nist80053', 'IA-5(1)', ['NIST SP 800-53 IA-5(1)'])).toBe('supported')
  expect(stateOf('pcidss', '8.3.6', ['PCI DSS 8.3.6'])).toBe('supported')
  expect(stateOf('cis', '5.1', ['CIS Controls 5.1'])).toBe('supported')
  expect(stateOf('cis', '5.1', ['PCI DSS 5.1', '5.1', 'CIS 5.10'])).toBe('no_check')
})
