import type { CataloguedFamily } from '../../metrics/catalogue.ts'
import { recordings } from '../recording.ts'
import { generatedMark, markdownTable, wrapped } from './markdown.ts'

export function metricsPage(families: readonly CataloguedFamily[]): string {
  const rows = families.map(({ name, type, labelNames, help }) => [
    `\`${name}\``,
    type,
    labelNames.map((label) => `\`${label}\``).join(', '),
    help,
  ])
  const recorded = recordings.map(({ record, why }) => [`\`${record}\``, why])
  return `# Metrics

${generatedMark}

${wrapped('Counters and health series exist from the first scrape at 0 (a timestamp of 0 means never), check states as `unknown`; gauges with facts of the tenant are absent until the first read. `tenantwatch_api_requests_total` begins with status 200 only, and `tenantwatch_sync_failures_total` with the reasons that the alerts read; other statuses and reasons appear when they occur, and so do kinds of `tenantwatch_contract_events_total` other than `unknown_field`. `tenantwatch_api_errors_total` has each class from the start, so that `increase()` includes the first error. No label contains the name of a user, an e-mail address or a file name. Names of API clients and roles are shown, with `[e-mail]` for an address in them; an id that may be a name is a digest. The default process metrics of prom-client are exported as well.')}

${markdownTable(['Metric', 'Type', 'Labels', 'Meaning'], rows)}

## Recorded by the shipped rules

${wrapped('A stopped daemon must not look like a resolved finding: series that end in `:last_known` keep the last known value for three days, unless a daemon answers without it.')}

${markdownTable(['Series', 'Meaning'], recorded)}
`
}
