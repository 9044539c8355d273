import { frameworks, isEvidenceFor } from '../src/checks/frameworks.ts'
import { checks } from '../src/checks/index.ts'
import { ownViews } from '../src/checks/own/views.ts'
import { jsonSchema } from '../src/config/json-schema.ts'
import { metricCatalogue } from '../src/metrics/catalogue.ts'
import { inventories } from '../src/metrics/inventory.ts'
import { resources } from '../src/resources/index.ts'
import { checkRunbook } from './docs/check-runbook.ts'
import { checksPage } from './docs/checks-page.ts'
import { exampleYaml, keyRows } from './docs/example-yaml.ts'
import {
  checksTable,
  endpointsTable,
  keysTable,
  metricsTable,
  resourcesTable,
  type Sections,
  viewsOfOwnChecks,
} from './docs/page-sections.ts'

const catalogue = { resources, checks }

/** Runbooks of checks that are written by hand. */
const writtenByHand: ReadonlySet<string> = new Set(['TenantwatchMfaNotEnrolled'])

/** The generated files of the repository: text by path from its root. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  files.set('docs/checks.md', checksPage(checks, requirementsByCheck()))
  files.set('config/tenantwatch.example.yaml', exampleYaml(catalogue))
  files.set('config/tenantwatch.schema.json', `${JSON.stringify(jsonSchema(catalogue), null, 2)}\n`)
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
    ['docs/configuration.md', { keys: keysTable(keyRows(catalogue)) }],
    ['docs/metrics.md', { metrics: metricsTable(metricCatalogue(inventories)) }],
    ['docs/own-checks.md', { views: viewsOfOwnChecks(ownViews) }],
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
