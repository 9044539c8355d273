import type { Family, Sample } from './family.ts'

export const prometheusType = 'text/plain; version=0.0.4; charset=utf-8'
export const openMetricsType = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

export const openMetricsEnd = '# EOF\n'

/** Approximate length of a chunk in characters. */
const chunkLength = 65_536

/**
 * Renders families in the Prometheus text format. The renderer of prom-client merges label sets that differ only in the
 * position of a comma, and renames counters permanently after an OpenMetrics request.
 *
 * @throws Error on NaN and on a duplicate series.
 */
export function renderPrometheus(families: readonly Family[]): string {
  return families.flatMap((family) => [...familyChunks(family, false)]).join('')
}

export function renderOpenMetrics(families: readonly Family[]): string {
  return `${families.flatMap((family) => [...familyChunks(family, true)]).join('')}${openMetricsEnd}`
}

/** Whole lines, in chunks of about 64 Ki characters; begins with HELP and TYPE. Throws on NaN and on a duplicate series. */
export function* familyChunks(family: Family, openMetrics: boolean): Generator<string> {
  const { name, type, help } = family
  const headName = openMetrics && type === 'counter' ? name.replace(/_total$/, '') : name
  const sampleName = openMetrics && type === 'counter' ? `${headName}_total` : name
  const lines = 'lines' in family ? family.lines : sampleLines(sampleName, family.samples)
  let chunk = `# HELP ${headName} ${escapeHelp(help)}\n# TYPE ${headName} ${type}\n`
  for (const line of lines) {
    chunk += line
    if (chunk.length < chunkLength) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}

function* sampleLines(name: string, samples: readonly Sample[]): Generator<string> {
  const seen = new Set<string>()
  for (const { labels, suffix = '', value } of samples) {
    const series = `${name}${suffix}${renderLabels(labels)}`
    if (seen.has(series)) throw new Error(`Cannot render metrics: series ${series} occurs twice`)
    seen.add(series)
    yield renderLine(series, value)
  }
}

/** @throws Error on NaN. */
export function renderLine(series: string, value: number): string {
  if (Number.isNaN(value)) throw new Error(`Cannot render metrics: series ${series} is NaN`)
  return `${series} ${renderNumber(value)}\n`
}

export function renderLabels(labels: Sample['labels']): string {
  const tail = renderTail(labels)
  return tail === '}' ? '' : `{${tail.slice(1)}`
}

/** The opening brace and the label `tenant`; `renderTail` or `tailOf` renders the rest. */
export function renderTenant(tenant: string): string {
  return `{tenant="${escapeLabel(tenant)}"`
}

/** The labels after the first one, each after a comma, and the closing brace. */
export function renderTail(labels: Sample['labels']): string {
  return tailOf(Object.keys(labels), Object.values(labels))
}

/** As `renderTail`, for values in the order of their names; a missing value is empty. */
export function tailOf(names: readonly string[], values: readonly string[]): string {
  return `${names.map((name, at) => `,${name}="${escapeLabel(values[at] ?? '')}"`).join('')}}`
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

/** A bucket bound in the canonical form of OpenMetrics, also in the Prometheus format, so that both have the same series. */
export function bucketBound(bound: number): string {
  if (!Number.isFinite(bound)) return '+Inf'
  return Number.isInteger(bound) ? `${bound}.0` : String(bound)
}
