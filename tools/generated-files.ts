import { checks } from '../src/checks/index.ts'
import { jsonSchema } from '../src/config/json-schema.ts'
import { inventories } from '../src/metrics/inventory.ts'
import { shippedFile } from '../src/monitoring/shipped.ts'
import { exampleYaml, keyRows } from './docs/example-yaml.ts'
import { checksPage, configurationPage, metricsPage } from './docs/pages.ts'
import { metricCatalogue } from './metric-catalogue.ts'
import { recordViewFiles } from './record-views.ts'

const catalogue = { checks }

/** The files of the repository that are made from the catalogues: text by path from its root. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/checks.md', checksPage(checks)],
    ['docs/metrics.md', metricsPage(metricCatalogue(inventories))],
    ['docs/configuration.md', configurationPage(keyRows(catalogue))],
    ['config/tenantwatch.example.yaml', exampleYaml(catalogue)],
    ['config/tenantwatch.schema.json', `${JSON.stringify(jsonSchema(catalogue), null, 2)}\n`],
    ['config/prometheus/prometheus-rule.yaml', prometheusRule(shippedFile('prometheus/rules.yml'))],
    ...recordViewFiles(),
  ])
}

/** For kustomize, which cannot put the rule file of Prometheus into a resource. */
function prometheusRule(rules: string): string {
  return `# Written by npm run generate, from rules.yml.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: tenantwatch
  labels: { app.kubernetes.io/name: tenantwatch }
spec:
${rules.replaceAll(/^(?=.)/gm, '  ')}`
}
