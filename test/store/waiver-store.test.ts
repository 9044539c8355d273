import { expect, it } from 'vitest'
import { lapseCounting } from '../../src/store/findings/waiver-store.ts'
import { testMirror } from '../support/mirror.ts'

/** The steps of SQLite's plan for a statement, without the numbers of its parameters. */
function planOf(text: string): string[] {
  const { query } = testMirror()
  return query(`explain query plan ${text.replaceAll('?', '1')}`).map(({ detail }) => String(detail))
}

it('counts lapsed findings at a scrape by index ranges alone, and reads no finding', () => {
  const steps = planOf(lapseCounting).filter((step) => step.includes(' w '))
  const seeking = '(tenant_id=? AND check=? AND waiver=? AND terms=? AND open_severity=? AND lapsed_at>?)'
  expect(steps).toEqual([`SEARCH w USING COVERING INDEX waived_findings_lapsed ${seeking}`])
})
