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
  return families.map((family) => renderFamily(family, family.name, family.name)).join('')
}

/** Renders families as OpenMetrics 1.0: counter families without `_total`, their samples with it, `# EOF` at the end. */
export function renderOpenMetrics(families: readonly Family[]): string {
  const parts = families.map((family) => {
    if (family.type !== 'counter') return renderFamily(family, family.name, family.name)
    const base = family.name.replace(/_total$/, '')
    return renderFamily(family, base, `${base}_total`)
  })
  return `${parts.join('')}# EOF\n`
}

function renderFamily(family: Family, headName: string, sampleName: string): string {
  const lines = [`# HELP ${headName} ${escapeHelp(family.help)}`, `# TYPE ${headName} ${family.type}`]
  const seen = new Set<string>()
  for (const sample of family.samples) {
    const series = `${sampleName}${sample.suffix ?? ''}${renderLabels(sample)}`
    if (seen.has(series)) throw new Error(`Cannot render metrics: series ${series} occurs twice`)
    seen.add(series)
    if (Number.isNaN(sample.value)) throw new Error(`Cannot render metrics: series ${series} is NaN`)
    lines.push(`${series} ${renderNumber(sample.value)}`)
  }
  return `${lines.join('\n')}\n`
}

function renderLabels(sample: Sample): string {
  const parts = Object.entries(sample.labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}

function escapeLabel(value: string): string {
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
