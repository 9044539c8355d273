import { expect, it } from 'vitest'
import type { CheckFacts } from '../../../src/evaluate/check.ts'
import { requirementsOf } from '../../../src/report/coverage.ts'

const own = (frameworks: readonly string[]) =>
  [{ id: 'own-one', frameworks, own: { file: 'a.sql', problem: null } } as unknown as CheckFacts] as const

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
