import type { CataloguedFamily } from '../../metrics/catalogue.ts'
import { recordings } from '../recording.ts'
import { generatedMark, markdownTable, wrapped } from './markdown.ts'

/** The page of every metric and of what the rules record. */
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

${wrapped("Counters and health series exist from the first scrape at 0 (a timestamp of 0 is never), check states as `unknown`; gauges that state a fact of the tenant are absent until it was first read. No label carries the name of a person, an e-mail or a file name. Beside these there are prom-client's default process metrics.")}

${markdownTable(['Metric', 'Type', 'Labels', 'Meaning'], rows)}

## Recorded by the shipped rules

${wrapped('A daemon that dies, or a target that vanishes, must not look like a finding that is fixed: the series ending in `:last_known` keep the last known value for three days, unless a daemon that answers no longer tells it.')}

${markdownTable(['Series', 'Meaning'], recorded)}
`
}
