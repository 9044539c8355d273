import { expect, it } from 'vitest'
import type { ReportFinding } from '../../src/report/build-report.ts'
import { mostSevere } from '../../src/report/report-html.ts'

const finding = (id: string, firstSeen: string, over: Partial<ReportFinding> = {}): ReportFinding => ({
  ...{ fingerprint: `f${id}`, check: 'user-mfa-enrolled', entity: { type: 'user', id }, severity: 'high' },
  ...{ state: 'open', message: 'm', firstSeen, ageDays: 0, reopened: 0, waiver: null, evidence: {} },
  ...{ owner: null, link: null },
  ...over,
})

async function* listed(...findings: readonly ReportFinding[]) {
  yield* findings
}

it('lists the findings of a check by severity and then by entity, the waived ones last', async () => {
  const found = await mostSevere(
    listed(
      finding('1162', '2026-03-01'),
      finding('9', '2026-03-05', { severity: 'low' }),
      finding('1031', '2026-03-02', { state: 'waived' }),
      finding('994', '2026-03-04'),
      finding('1143', '2026-03-03'),
    ),
  )
  expect(found.groups.get('user-mfa-enrolled')?.map(({ entity }) => entity.id)).toEqual([
    ...['994', '1143', '1162', '9', '1031'],
  ])
})
