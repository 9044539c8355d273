import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { checks } from '../../src/checks/index.ts'
import { userMfaEnrolled } from '../../src/checks/user-mfa-enrolled.ts'
import { defaultMonitoringInput } from '../../src/commands/support/monitoring-input.ts'
import { dashboardIds } from '../../src/monitoring/dashboard-ids.ts'
import { dashboards, writeDashboard } from '../../src/monitoring/dashboards/render.ts'
import { checkRunbook } from '../../src/monitoring/docs/check-runbook.ts'
import { checksPage } from '../../src/monitoring/docs/checks-page.ts'
import { renderRules } from '../../src/monitoring/rules.ts'

/** A check that the shipped rules do not know. */
const madeUp = {
  ...userMfaEnrolled,
  id: 'user-made-up',
  title: 'Every user is made up',
  alert: { ...userMfaEnrolled.alert, name: 'MadeUp', summary: { one: 'user is real', other: 'users are real' } },
  severities: ['medium', 'high'],
} as const
const before = defaultMonitoringInput()
const after = { ...before, checks: [...before.checks, madeUp] }

interface Rule {
  readonly alert?: string
  readonly expr: string
  readonly labels?: { readonly severity: string }
  readonly annotations?: Readonly<Record<string, string>>
}
const rulesOf = (input: typeof before) =>
  (parse(renderRules(input, 'prometheus')) as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules)

it('wires the alerts of a new check, one for each severity it can have', () => {
  const own = rulesOf(after).filter(({ alert }) => alert === 'TenantwatchMadeUp')
  expect(own.map(({ labels }) => labels?.severity)).toEqual(['warning', 'info'])
  for (const { expr, annotations } of own) {
    expect(expr).toContain('check="user-made-up"')
    expect(annotations?.['summary']).toContain('{{ if eq $value 1.0 }}user is real{{ else }}users are real{{ end }}')
    expect(annotations?.['runbook_url']).toMatch(/\/TenantwatchMadeUp\.md$/)
  }
})

it('no longer takes a new check for one of the operator, and leaves all other rules', () => {
  const others = rulesOf(after).filter(({ alert }) => alert !== 'TenantwatchMadeUp')
  const unchanged = rulesOf(before).map((rule) => JSON.stringify(rule))
  const changed = others.filter((rule) => !unchanged.includes(JSON.stringify(rule)))
  expect(new Set(changed.map(({ alert }) => alert))).toEqual(new Set(['TenantwatchOwnCheckFails']))
  for (const { expr } of changed) expect(expr).toMatch(/check!~"[^"]*\|user-made-up"/)
})

it('documents a new check and its alert', () => {
  const page = checksPage([...checks, madeUp], new Map())
  expect(page).toContain('\n## user-made-up\n\n**Every user is made up.**')
  expect(page).toContain('- Alert: [TenantwatchMadeUp](runbooks/TenantwatchMadeUp.md)')
  expect(checkRunbook(madeUp)).toMatchObject({
    name: 'TenantwatchMadeUp',
    text: expect.stringMatching(/^# TenantwatchMadeUp\n[\s\S]*## Mitigation/),
  })
})

it.each(dashboardIds)('shows a new check in %s without a change: no panel knows a check by name', (id) => {
  const text = writeDashboard(id, after)
  expect(text).toBe(writeDashboard(id, before))
  expect(checks.filter((check) => text.includes(check.id)).map((check) => check.id)).toEqual([])
})

it('gives every check a row of its own: the panels of checks read all of them, by label', () => {
  const panels = dashboards.posture(after).rows.flatMap((row) => row.panels)
  const exprs = (title: string) => panels.find((panel) => panel.title === title)?.queries.map(({ expr }) => expr) ?? []
  for (const title of ['Status of every check', 'Open findings by check']) {
    expect(exprs(title)).toHaveLength(1)
    expect(exprs(title)[0]).toMatch(/by \(tenant, check\)/)
    expect(exprs(title)[0]).not.toMatch(/check(=|!=|=~|!~)"/)
  }
})
