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
import { defaultPack } from './monitoring-files.ts'

/** Pages about checks that somebody wrote by hand, for there is more to say than the catalogue knows. */
const writtenByHand: ReadonlySet<string> = new Set(['TenantwatchMfaNotEnrolled'])

/** What is made from the catalogue and kept in the repository: path from its root, and text. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  const pack = defaultPack()
  files.set('config/prometheus/rules.yml', renderRules(pack, 'prometheus'))
  files.set('deploy/kubernetes/prometheus-rule.yaml', renderRules(pack, 'operator'))
  files.set('config/prometheus/inhibitions.yml', renderInhibitions())
  files.set('deploy/compose/alertmanager.yml', renderAlertmanager())
  for (const id of dashboardIds) files.set(`config/grafana/${id}.json`, writeDashboard(id, pack))
  files.set('docs/checks.md', checksPage(checks, requirementsByCheck()))
  files.set('docs/metrics.md', metricsPage(metricCatalogue(inventories)))
  for (const check of checks) {
    const page = checkRunbook(check)
    if (page !== null && !writtenByHand.has(page.name)) files.set(`docs/runbooks/${page.name}.md`, page.text)
  }
  return files
}

/** Of each check the requirements it is evidence towards, with their framework. */
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
