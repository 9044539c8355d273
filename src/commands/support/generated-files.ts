import type { Framework } from '../../checks/frameworks/framework.ts'
import { frameworks } from '../../checks/frameworks.ts'
import { checks } from '../../checks/index.ts'
import { metricCatalogue } from '../../metrics/catalogue.ts'
import { inventories } from '../../metrics/inventory/index.ts'
import { dashboardIds } from '../../monitoring/dashboard-ids.ts'
import { writeDashboard } from '../../monitoring/dashboards/render.ts'
import { checkRunbook } from '../../monitoring/docs/check-runbook.ts'
import { checksPage } from '../../monitoring/docs/checks-page.ts'
import { metricsPage } from '../../monitoring/docs/metrics-page.ts'
import { renderAlertmanager, renderInhibitions } from '../../monitoring/inhibitions.ts'
import { renderRules } from '../../monitoring/rules.ts'
import { defaultMonitoringInput } from './monitoring-input.ts'

/** Runbooks of checks that are written by hand. */
const writtenByHand: ReadonlySet<string> = new Set(['TenantwatchMfaNotEnrolled'])

/** The generated files of the repository: text by path from its root. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  const input = defaultMonitoringInput()
  files.set('config/prometheus/rules.yml', renderRules(input, 'prometheus'))
  files.set('deploy/kubernetes/prometheus-rule.yaml', renderRules(input, 'operator'))
  files.set('config/prometheus/inhibitions.yml', renderInhibitions())
  files.set('deploy/compose/alertmanager.yml', renderAlertmanager())
  for (const id of dashboardIds) files.set(`config/grafana/${id}.json`, writeDashboard(id, input))
  files.set('docs/checks.md', checksPage(checks, requirementsByCheck()))
  files.set('docs/metrics.md', metricsPage(metricCatalogue(inventories)))
  for (const check of checks) {
    const page = checkRunbook(check)
    if (page !== null && !writtenByHand.has(page.name)) files.set(`docs/runbooks/${page.name}.md`, page.text)
  }
  return files
}

function requirementsByCheck(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const { name, requirements } of frameworks as readonly Framework[]) {
    for (const check of checks) {
      const ids = requirements.filter((requirement) => requirement.checks.includes(check.id)).map(({ id }) => id)
      if (ids.length > 0) found.set(check.id, [...(found.get(check.id) ?? []), `${name}: ${ids.join(', ')}`])
    }
  }
  return found
}
