import { frameworks, isEvidenceFor } from '../../checks/frameworks.ts'
import { checks } from '../../checks/index.ts'
import { ownViews } from '../../checks/own/views.ts'
import { metricCatalogue } from '../../metrics/catalogue.ts'
import { inventories } from '../../metrics/inventory.ts'
import { checkRunbook } from '../../monitoring/docs/check-runbook.ts'
import { checksPage } from '../../monitoring/docs/checks-page.ts'
import {
  checksTable,
  enabledByDefault,
  endpointsTable,
  grantOfSql,
  metricsTable,
  resourcesTable,
  type Sections,
  scheduleByDefault,
  viewsOfOwnChecks,
  viewsOfSql,
} from '../../monitoring/docs/page-sections.ts'
import { resources } from '../../resources/index.ts'
import { sqlViews } from '../../store/postgres/views/index.ts'

/** Runbooks of checks that are written by hand. */
const writtenByHand: ReadonlySet<string> = new Set(['TenantwatchMfaNotEnrolled'])

/** The generated files of the repository: text by path from its root. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  files.set('docs/checks.md', checksPage(checks, requirementsByCheck()))
  for (const check of checks) {
    const page = checkRunbook(check)
    if (page !== null && !writtenByHand.has(page.name)) files.set(`docs/runbooks/${page.name}.md`, page.text)
  }
  return files
}

/** The generated parts of pages that are written by hand, by path from the root of the repository. */
export function generatedSections(): ReadonlyMap<string, Sections> {
  return new Map<string, Sections>([
    ['README.md', { checks: checksTable(checks), endpoints: endpointsTable(resources) }],
    [
      'config/tenantwatch.example.yaml',
      { resources: enabledByDefault(resources), schedule: scheduleByDefault(resources) },
    ],
    ['docs/metrics.md', { metrics: metricsTable(metricCatalogue(inventories)) }],
    ['docs/own-checks.md', { views: viewsOfOwnChecks(ownViews) }],
    ['docs/sql.md', { grant: grantOfSql(sqlViews), views: viewsOfSql(sqlViews) }],
    ['docs/sync.md', { resources: resourcesTable(resources) }],
  ])
}

function requirementsByCheck(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const framework of frameworks) {
    for (const check of checks) {
      const named = framework.requirements.filter(({ id }) => isEvidenceFor(check, framework, id))
      const ids = named.map(({ id }) => id).join(', ')
      if (ids !== '') found.set(check.id, [...(found.get(check.id) ?? []), `${framework.name}: ${ids}`])
    }
  }
  return found
}
