import type { Family, Sample } from './family.ts'

export const prometheusType = 'text/plain; version=0.0.4; charset=utf-8'
export const openMetricsType = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

/**
 * Renders families in the Prometheus text format. prom-client's own renderer is not used: it takes two label sets that
 * differ only in where a comma stands for one series, and renames counters for good once OpenMetrics was asked for.
 *
 * @throws Error on NaN and on a series that occurs twice: no answer is better than a wrong one.
 */
export function renderPrometheus(families: readonly Family[]): string {
  return families.map(prometheusFamily).join('')
}

/** Renders families as OpenMetrics 1.0: counter families without `_total`, their samples with it, `# EOF` at the end. */
export function renderOpenMetrics(families: readonly Family[]): string {
  return `${families.map(openMetricsFamily).join('')}${openMetricsEnd}`
}

export const openMetricsEnd = '# EOF\n'

/** One family in the Prometheus text format. */
export function prometheusFamily(family: Family): string {
  return renderFamily(family, family.name, family.name)
}

/** One family as OpenMetrics. */
export function openMetricsFamily(family: Family): string {
  if (family.type !== 'counter') return renderFamily(family, family.name, family.name)
  const base = family.name.replace(/_total$/, '')
  return renderFamily(family, base, `${base}_total`)
}

function renderFamily(family: Family, headName: string, sampleName: string): string {
  let text = `# HELP ${headName} ${escapeHelp(family.help)}\n# TYPE ${headName} ${family.type}\n`
  const seen = new Set<string>()
  for (const { labels, text: labelText = renderLabels(labels), suffix = '', value } of family.samples) {
    const series = suffix + labelText
    if (seen.has(series)) throw new Error(`Cannot render metrics: series ${sampleName}${series} occurs twice`)
    seen.add(series)
    if (Number.isNaN(value)) throw new Error(`Cannot render metrics: series ${sampleName}${series} is NaN`)
    text += `${sampleName}${series} ${renderNumber(value)}\n`
  }
  return text
}

/** Labels as both formats write them. */
export function renderLabels(labels: Sample['labels']): string {
  let text = ''
  for (const name of Object.keys(labels)) {
    text += `${text === '' ? '{' : ','}${name}="${escapeLabel(labels[name] ?? '')}"`
  }
  return text === '' ? '' : `${text}}`
}

const special = /[\\\n"\ud800-\udfff]/

function escapeLabel(value: string): string {
  if (!special.test(value)) return value
  return value.toWellFormed().replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"')
}

function escapeHelp(help: string): string {
  return help.toWellFormed().replace(/\\/g, '\\\\').replace(/\n/g, '\\n')
}

function renderNumber(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return value > 0 ? '+Inf' : '-Inf'
}

/** A bucket bound in the canonical form of OpenMetrics, in both formats alike, so that the series stays the same one. */
export function bucketBound(bound: number): string {
  if (!Number.isFinite(bound)) return '+Inf'
  return Number.isInteger(bound) ? `${bound}.0` : String(bound)
}
